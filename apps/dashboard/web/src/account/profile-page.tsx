import { useMutation } from '@tanstack/react-query';
import type { User } from '../../../server/src/accounts/account.ts';
import { request } from '../api.ts';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { PersonNameField } from '../session/credentials-fields.tsx';
import { useUser } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { Page } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { ThemeCard } from './theme-card.tsx';

export function ProfilePage() {
  const user = useUser();
  return (
    <Page
      title="Profile"
      documentTitle="Account"
      badges={user.isInstallationOwner && <Badge tone="accent">Owns the installation</Badge>}
      description={
        <span className="break-words">
          {user.email}, here since <Ago at={user.createdAt} />
        </span>
      }
    >
      <div className="grid gap-5">
        <NameCard user={user} />
        <ThemeCard />
      </div>
    </Page>
  );
}

function NameCard({ user }: { readonly user: User }) {
  const mutation = useMutation({
    mutationFn: ({ name = '' }: FormValues) =>
      request<User>('PATCH', '/account', { name: name.trim() }),
    onSuccess: (changed) => {
      queryClient.setQueryData(keys.session, changed);
      toast('Your name is saved.');
    },
  });
  return (
    <Card title="Name" description="What other members see beside your address.">
      <Form mutation={mutation} fields={['name']} className="grid max-w-95 gap-4">
        <PersonNameField defaultValue={user.name} />
        <div>
          <SubmitButton>Save the name</SubmitButton>
        </div>
      </Form>
    </Card>
  );
}
