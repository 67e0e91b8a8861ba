import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PasswordLink } from '../../../server/src/accounts/account.ts';
import type {
  EndedAccess,
  Person,
  PersonDetails,
} from '../../../server/src/installation/person.ts';
import { path, request } from '../api.ts';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { HandOverLink } from '../settings/loopback.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { EmailField } from '../ui/email-field.tsx';
import { SelectField } from '../ui/field.tsx';
import { Confirm, ConfirmByTyping, FormDialog } from '../ui/form-dialog.tsx';
import { count } from '../ui/format.ts';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { UsedTokens } from './used-tokens.tsx';

interface ActionProps {
  readonly person: PersonDetails;
}

const refetch = () => queryClient.invalidateQueries({ queryKey: keys.people });

/** What the owner of the installation can do with an account. */
export function PersonActions({ person }: ActionProps) {
  const { isInstallationOwner, disabledAt, isYou } = person;
  return (
    <Card title="Account" flush>
      <ul className="divide-y divide-line">
        {disabledAt === null && <PasswordAction person={person} />}
        <EmailAction person={person} />
        {isInstallationOwner ? (
          <Action
            title="Owner of the installation"
            text={`${isYou ? 'You own' : 'This account owns'} the installation. To disable or remove it, hand the installation to another account first: on the page of that account.`}
          />
        ) : (
          <>
            {disabledAt === null && <HandOverAction person={person} />}
            {disabledAt === null ? (
              <DisableAction person={person} />
            ) : (
              <EnableAction person={person} />
            )}
            <RemoveAction person={person} />
          </>
        )}
      </ul>
    </Card>
  );
}

interface RowProps {
  readonly title: string;
  readonly text: string;
  readonly children?: ReactNode;
}

function Action({ title, text, children }: RowProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2.5 px-4 py-3.5 sm:px-5">
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-medium">{title}</p>
        <p className="text-[0.8125rem] text-muted">{text}</p>
      </div>
      {children}
    </li>
  );
}

function PasswordAction({ person: { id, name, email } }: ActionProps) {
  return (
    <Action
      title="New password"
      text="Makes a link by which a password is set. It works once, within a day."
    >
      <FormDialog
        trigger={<Button size="small">Make a link</Button>}
        title={`A new password for ${name}?`}
        description="Until the link is used, the password stays as it is. Using it ends all sessions of the account."
        action="Make the link"
        run={() => request<PasswordLink>('POST', path`/installation/users/${id}/password-link`)}
        result={({ link, mailError, expiresAt }) => ({
          title: link === null ? 'The link is on its way' : 'Hand over this link',
          description: (
            <>
              {link === null ? 'It was mailed to ' : 'Send it to '}
              <strong className="font-medium text-ink">{email}</strong>, and to nobody else: whoever
              has it gets the account. It ends <Ago at={expiresAt} />.
            </>
          ),
          content:
            link === null ? null : (
              <HandOverLink link={link} what="password link" mailError={mailError} />
            ),
          close: 'Done',
        })}
        className="block"
      />
    </Action>
  );
}

function EmailAction({ person: { id, name, email } }: ActionProps) {
  return (
    <Action title="E-mail address" text="Changed at once, without asking there.">
      <FormDialog
        trigger={<Button size="small">Change</Button>}
        title={`Another address for ${name}`}
        description="They sign in with it from now on. The old address is told, if the installation sends mail."
        fields={['email']}
        conflictField="email"
        action="Change the address"
        run={({ email: next }) =>
          request<Person>('PUT', path`/installation/users/${id}/email`, { email: next })
        }
        onDone={(changed) => {
          toast(`The address is ${changed.email} now.`);
          return refetch();
        }}
      >
        <EmailField defaultValue={email} />
      </FormDialog>
    </Action>
  );
}

function HandOverAction({ person: { id, name, email } }: ActionProps) {
  const navigate = useNavigate();
  return (
    <Action
      title="Owner of the installation"
      text="Hands the installation to this account. You keep your projects, and lose these pages."
    >
      <ConfirmByTyping
        trigger={<Button size="small">Hand over</Button>}
        title={`Hand the installation to ${name}?`}
        description={`${name} gets these pages and an owner’s rights in every project. You lose both, and only ${name} or whoever runs the server can give them back.`}
        name={email}
        action="Hand over the installation"
        run={async () => {
          await request('POST', '/installation/owner', { userId: id });
          toast(`${name} owns the installation now.`);
          await navigate({ to: '/' });
          await queryClient.invalidateQueries();
        }}
      />
    </Action>
  );
}

function DisableAction({ person: { id, name, usedTokens, memberships } }: ActionProps) {
  const alone = memberships.filter(({ isOnlyOwner }) => isOnlyOwner);
  return (
    <Action
      title="Disable"
      text="Ends all sessions at once. API tokens are refused until the account is enabled again."
    >
      <Confirm
        trigger={<Button size="small">Disable</Button>}
        danger
        title={`Disable ${name}?`}
        description={
          <div className="grid gap-3">
            <p>They are signed out everywhere. They stay a member of their projects.</p>
            {alone.length > 0 && (
              <p>
                No owner of {alone.map(({ project }) => project).join(', ')} can sign in then. You
                have the rights of one.
              </p>
            )}
            <BreakingTokens tokens={usedTokens} />
          </div>
        }
        action="Disable the account"
        run={() => request<EndedAccess>('POST', path`/installation/users/${id}/disable`)}
        onDone={(ended) => {
          toast(`${name} is disabled: ${count((ended as EndedAccess).sessions, 'session')} ended.`);
          return refetch();
        }}
      />
    </Action>
  );
}

function EnableAction({ person: { id, name } }: ActionProps) {
  return (
    <Action title="Enable" text="They can sign in, and their API tokens work again.">
      <Confirm
        trigger={<Button size="small">Enable</Button>}
        title={`Enable ${name}?`}
        description="They sign in with the same password, and their API tokens work again."
        action="Enable the account"
        run={() => request<Person>('POST', path`/installation/users/${id}/enable`)}
        onDone={() => {
          toast(`${name} is enabled.`);
          return refetch();
        }}
      />
    </Action>
  );
}

function RemoveAction({ person }: ActionProps) {
  const { id, name, usedTokens, memberships } = person;
  const navigate = useNavigate();
  const alone = memberships.filter(({ isOnlyOwner }) => isOnlyOwner);
  return (
    <Action
      title="Remove"
      text="Ends sessions, API tokens and memberships for good. What they did stays in audit logs, by their address."
    >
      <FormDialog
        trigger={
          <Button size="small" variant="danger">
            Remove
          </Button>
        }
        danger
        title={`Remove ${name}?`}
        description={
          <div className="grid gap-3">
            <p>The account is gone at once, and cannot be brought back.</p>
            <BreakingTokens tokens={usedTokens} />
          </div>
        }
        action="Remove the account"
        run={(values) =>
          request<EndedAccess>('POST', path`/installation/users/${id}/remove`, {
            handOver: alone.map(({ project }) => ({ project, to: values[`heir-${project}`] })),
          })
        }
        onDone={async () => {
          toast(`${name} is removed.`);
          await navigate({ to: '/installation/people' });
          await refetch();
        }}
        className={alone.length === 0 ? 'block' : undefined}
      >
        {alone.map(({ project, name: title, heirs }) => (
          <SelectField
            key={project}
            name={`heir-${project}`}
            label={`Who takes over “${title}”?`}
            options={heirs.map(({ userId, name: heir, email, role }) => ({
              value: userId,
              label: `${heir}, ${email}${role === null ? '' : ` (${role})`}`,
            }))}
            defaultValue={heirs[0]?.userId ?? ''}
          />
        ))}
      </FormDialog>
    </Action>
  );
}

/** The programs that miss their token then; nothing where there is none. */
function BreakingTokens({ tokens }: { readonly tokens: PersonDetails['usedTokens'] }) {
  if (tokens.length === 0) return null;
  return (
    <div className="grid gap-1.5">
      <p>Programs used these API tokens within the last 30 days, and will fail:</p>
      <UsedTokens tokens={tokens} />
    </div>
  );
}
