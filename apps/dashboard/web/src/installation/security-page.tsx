import { useQuery } from '@tanstack/react-query';
import type { InstallationSecurity } from '../../../server/src/accounts/factors/factor.ts';
import { messageOf, request } from '../api.ts';
import { securityQuery } from '../queries/installation.ts';
import { keys } from '../queries/keys.ts';
import { useChoice } from '../queries/use-choice.ts';
import { showChanged } from '../query-client.ts';
import { Alert } from '../ui/alert.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { CircleCheck } from '../ui/icons.tsx';
import { Page } from '../ui/page.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { Switch } from '../ui/switch.tsx';
import { toast } from '../ui/toasts.tsx';

/** What the installation requires of those who sign in. */
export function InstallationSecurityPage() {
  const query = useQuery(securityQuery);
  return (
    <Page title="Security" documentTitle="Security · Installation">
      <QueryView query={query}>
        {(security) => (
          <div className="grid gap-5">
            <PolicyCard security={security} />
            <WithoutCard security={security} />
          </div>
        )}
      </QueryView>
    </Page>
  );
}

type Whom = InstallationSecurity['secondFactor'];

const CHOICES: readonly { readonly value: Whom; readonly label: string; readonly hint: string }[] =
  [
    {
      value: 'optional',
      label: 'Nobody',
      hint: 'Everyone chooses for their own account.',
    },
    {
      value: 'owners',
      label: 'Owners',
      hint: 'Whoever owns a project, and the owner of this installation.',
    },
    { value: 'everyone', label: 'Everyone', hint: 'All accounts.' },
  ];

function PolicyCard({ security }: { readonly security: InstallationSecurity }) {
  const { chosen, error, isPending, choose } = useChoice<Partial<InstallationSecurity>>(
    'security',
    async (change) => {
      const { secondFactor, afterProvider } = { ...security, ...change };
      const policy = { secondFactor, afterProvider };
      const changed = await request<InstallationSecurity>('PUT', '/installation/security', policy);
      showChanged(keys.security, changed);
      toast('The policy is saved.');
    },
  );
  const { secondFactor, afterProvider, without } = { ...security, ...chosen };
  const missing = { optional: 0, owners: without.owners, everyone: without.everyone };
  return (
    <Card
      title="Who must have a second factor"
      description="A passkey, or an authenticator app. People without one must set one up at their next sign-in before they can do anything else. Existing sessions and API tokens keep working."
    >
      <div className="grid gap-5">
        {error && <Alert tone="negative">{messageOf(error)}</Alert>}
        <fieldset className="grid gap-2 md:grid-cols-3" disabled={isPending}>
          <legend className="sr-only">Who must have a second factor</legend>
          {CHOICES.map(({ value, label, hint }) => (
            <label
              key={value}
              className="flex items-start gap-2.5 rounded-md border border-line px-3 py-2.5 has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
            >
              <input
                type="radio"
                name="second-factor"
                value={value}
                aria-label={label}
                checked={secondFactor === value}
                onChange={() => choose({ secondFactor: value })}
                className="mt-[3px] size-4 shrink-0 accent-accent"
              />
              <span className="min-w-0">
                <span className="block font-medium">{label}</span>
                <span className="block text-[0.8125rem] text-muted">
                  {hint}
                  {missing[value] > 0 && ` ${missing[value]} without one.`}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
        <Switch
          label="Ask after a provider, too"
          hint="The provider has already verified people who sign in with it. When this is on, they need a second factor of their account here as well."
          checked={afterProvider}
          disabled={isPending}
          onChange={(next) => choose({ afterProvider: next })}
        />
      </div>
    </Card>
  );
}

function WithoutCard({ security: { without } }: { readonly security: InstallationSecurity }) {
  const { everyone, people } = without;
  return (
    <Card
      title="Without a second factor"
      description="Whoever lost theirs is helped on the server: dashboard users reset-factors."
      flush
    >
      {everyone === 0 ? (
        <Empty icon={CircleCheck} title="Everyone has a second factor" />
      ) : (
        <ul className="divide-y divide-line">
          {people.map(({ id, email, name }) => (
            <li key={id} className="px-4 py-3 sm:px-5">
              <p className="truncate font-medium">{name}</p>
              <p className="truncate text-[0.8125rem] text-muted">{email}</p>
            </li>
          ))}
          {everyone > people.length && (
            <li className="px-4 py-3 text-muted sm:px-5">
              And {everyone - people.length} more: <code>dashboard users list</code> shows all.
            </li>
          )}
        </ul>
      )}
    </Card>
  );
}
