import { useMutation, useQuery } from '@tanstack/react-query';
import type { User } from '../../../server/src/accounts/account.ts';
import { request } from '../api.ts';
import { keys } from '../queries/keys.ts';
import { accountQuotasQuery } from '../queries/quotas.ts';
import { showChanged } from '../query-client.ts';
import { UsageCard } from '../quotas/usage-card.tsx';
import { PersonNameField } from '../session/credentials-fields.tsx';
import { useUser } from '../session/session.ts';
import { setTheme, THEMES, useTheme } from '../theme.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { Monitor, Moon, Sun } from '../ui/icons.tsx';
import { Page } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { EmailCard } from './email-card.tsx';

export function ProfilePage() {
  const user = useUser();
  const usage = useQuery(accountQuotasQuery);
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
        <EmailCard user={user} />
        <UsageCard
          title="Your projects"
          description="What the projects that you own use together."
          query={usage}
        />
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
      showChanged(keys.session, changed);
      toast('Your name is saved.');
    },
  });
  return (
    <Card title="Name" description="What others see beside your address, with its initials.">
      <div className="flex max-w-115 gap-4">
        <Avatar email={user.email} name={user.name} size="large" />
        <Form mutation={mutation} fields={['name']} className="grid flex-1 gap-4">
          <PersonNameField defaultValue={user.name} />
          <div>
            <SubmitButton>Save the name</SubmitButton>
          </div>
        </Form>
      </div>
    </Card>
  );
}

const LOOKS = {
  system: { icon: Monitor, label: 'System' },
  light: { icon: Sun, label: 'Light' },
  dark: { icon: Moon, label: 'Dark' },
} as const;

function ThemeCard() {
  const theme = useTheme();
  return (
    <Card title="Theme" description="For this browser. “System” follows your computer’s setting.">
      <fieldset className="grid gap-2 sm:max-w-115 sm:grid-cols-3">
        <legend className="sr-only">Theme</legend>
        {THEMES.map((name) => {
          const { icon: Icon, label } = LOOKS[name];
          return (
            <label
              key={name}
              className="flex items-center gap-2.5 rounded-md border border-line px-3 py-2 has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
            >
              <input
                type="radio"
                name="theme"
                value={name}
                checked={theme === name}
                onChange={() => setTheme(name)}
                className="sr-only"
              />
              <Icon className="size-4 shrink-0 text-muted" />
              {label}
            </label>
          );
        })}
      </fieldset>
    </Card>
  );
}
