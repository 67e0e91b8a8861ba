import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiToken, Session } from '../../../server/src/accounts/account.ts';
import { path, request } from '../api.ts';
import { sessionsQuery } from '../queries/account.ts';
import { keys } from '../queries/keys.ts';
import { accountTokensQuery } from '../queries/tokens.ts';
import { deleteAt, queryClient } from '../query-client.ts';
import { CurrentPasswordField, NewPasswordField } from '../session/credentials-fields.tsx';
import { useUser } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CheckBox } from '../ui/check-box.tsx';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { Confirm, ConfirmedButton } from '../ui/form-dialog.tsx';
import { ListView } from '../ui/list-view.tsx';
import { Page } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { AuthenticatorAppCard } from './factors/authenticator-app-card.tsx';
import { GuessingAlert } from './factors/guessing-alert.tsx';
import { PasskeysCard } from './factors/passkeys-card.tsx';
import { RecoveryCodesCard } from './factors/recovery-codes-card.tsx';
import { IdentitiesCard } from './identities-card.tsx';

export function SecurityPage() {
  const { hasPassword } = useUser();
  return (
    <Page title="Security" documentTitle="Security · Account">
      <div className="grid gap-5">
        <GuessingAlert />
        <IdentitiesCard />
        {hasPassword && <PasswordCard />}
        <PasskeysCard />
        <AuthenticatorAppCard />
        <RecoveryCodesCard />
        <SessionsCard />
      </div>
    </Page>
  );
}

function PasswordCard() {
  const { email } = useUser();
  const tokens = useQuery(accountTokensQuery).data?.filter(isUnexpired).length;
  const [revokeTokens, setRevoke] = useState(false);
  const [changes, setChanges] = useState(0);
  const mutation = useMutation({
    mutationFn: ({ current, next }: FormValues) =>
      request('POST', '/account/password', { current, next, revokeTokens }),
    onSuccess: () => {
      setChanges(changes + 1);
      setRevoke(false);
      void queryClient.invalidateQueries({ queryKey: keys.sessions });
      void queryClient.invalidateQueries({ queryKey: keys.accountTokens });
      toast(
        revokeTokens
          ? 'Your password is changed. Your other sessions and your API tokens have ended.'
          : 'Your password is changed, and your other sessions have ended.',
      );
    },
    // A wrong current password may be a 401, and does not end the session.
    meta: { signsIn: true },
  });
  return (
    <Card
      title="Password"
      description="Changing it ends all your other sessions. API tokens go on working, unless you revoke them."
    >
      <Form
        // Emptied after each change.
        key={changes}
        fields={['current', 'next']}
        mutation={mutation}
        className="grid max-w-95 gap-4"
      >
        {/* So that password managers know whose it is. */}
        <input type="hidden" name="username" autoComplete="username" value={email} />
        <CurrentPasswordField name="current" label="Current password" />
        <NewPasswordField name="next" label="New password" />
        {tokens !== undefined && tokens > 0 && (
          <CheckBox
            label={
              tokens === 1 ? 'Revoke my API token, too' : `Revoke my ${tokens} API tokens, too`
            }
            hint="Otherwise programs that have one go on as before."
            checked={revokeTokens}
            onChange={setRevoke}
          />
        )}
        <div>
          <SubmitButton>Change the password</SubmitButton>
        </div>
      </Form>
    </Card>
  );
}

function isUnexpired({ expiresAt }: ApiToken): boolean {
  return expiresAt === null || Date.parse(expiresAt) > Date.now();
}

function SessionsCard() {
  const query = useQuery(sessionsQuery);
  const hasOthers = query.data?.some(({ isCurrent }) => !isCurrent) ?? false;
  const endOthers = () =>
    deleteAt('/account/sessions', keys.sessions, 'Your other sessions have ended.');
  return (
    <Card
      title="Sessions"
      description="Where you are signed in."
      flush
      actions={
        hasOthers && (
          <Confirm
            danger
            title="End all other sessions?"
            description="Every other browser must sign in again. This one stays signed in."
            action="End the others"
            run={endOthers}
            trigger={<Button size="small">End all others</Button>}
          />
        )
      }
    >
      <ListView query={query}>
        {(session) => <SessionRow key={session.id} session={session} />}
      </ListView>
    </Card>
  );
}

function SessionRow({ session }: { readonly session: Session }) {
  const { id, isCurrent, userAgent, ip, createdAt, lastSeenAt, method } = session;
  const name = browserName(userAgent);
  const run = () =>
    deleteAt(path`/account/sessions/${id}`, keys.sessions, 'The session has ended.');
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
      <div className="min-w-0">
        <p className="flex items-center gap-2">
          <span className="truncate font-medium" title={userAgent}>
            {name}
          </span>
          {isCurrent && <Badge tone="positive">This one</Badge>}
        </p>
        <p className="text-[0.8125rem] text-muted">
          {ip} · signed in <Ago at={createdAt} />, {methodInWords(method)}
          {!isCurrent && (
            <>
              {' '}
              · last seen <Ago at={lastSeenAt} />
            </>
          )}
        </p>
      </div>
      {!isCurrent && (
        <ConfirmedButton
          title="End this session?"
          description={`${name} at ${ip} must sign in again.`}
          action="End the session"
          run={run}
          label={`End the session of ${name}`}
          text="End"
        />
      )}
    </li>
  );
}

const PROOFS: Record<string, string> = {
  password: 'a password',
  passkey: 'a passkey',
  code: 'a code',
  recovery_code: 'a recovery code',
  link: 'a link',
};

/** `with a password and a code` */
function methodInWords(method: string): string {
  const proofs = method.split('+').map((proof) => PROOFS[proof] ?? proof.replace(/^provider:/, ''));
  return `with ${proofs.join(' and ')}`;
}

// In this order: Edge and Opera call themselves Chrome, too, and Chrome Safari.
const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;

const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** `Firefox on Linux`, out of a User-Agent header; its beginning when it names neither. */
function browserName(userAgent: string): string {
  const nameIn = (names: readonly (readonly [string, string])[]) =>
    names.find(([mark]) => userAgent.includes(mark))?.[1];
  const browser = nameIn(BROWSERS);
  const system = nameIn(SYSTEMS);
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? (userAgent.slice(0, 60) || 'An unknown program');
}
