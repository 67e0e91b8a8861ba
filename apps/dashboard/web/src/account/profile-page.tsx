import { useMutation } from '@tanstack/react-query';
import type { User } from '../../../server/src/accounts/account.ts';
import { request } from '../api.ts';
import { keys } from '../queries.ts';
import { queryClient } from '../query-client.ts';
import { PersonNameField } from '../session/credentials-fields.tsx';
import { useUser } from '../session/session.ts';
import { Ago } from '../ui/ago.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Form } from '../ui/form.tsx';
import { Page } from '../ui/page.tsx';
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
    mutationFn: ({ name = '' }: Record<string, string>) =>
      request<User>('PATCH', '/account', { name: name.trim() }),
    onSuccess: (changed) => {
      queryClient.setQueryData(keys.session, changed);
      toast('Your name is saved.');
    },
  });
  return (
    <Card title="Name" description="What other members see beside your address.">
      <Form
        fields={['name']}
        error={mutation.error}
        onSubmit={mutation.mutate}
        className="grid max-w-95 gap-4"
      >
        <PersonNameField defaultValue={user.name} />
        <div>
          <Button type="submit" pending={mutation.isPending}>
            Save the name
          </Button>
        </div>
      </Form>
    </Card>
  );
}
