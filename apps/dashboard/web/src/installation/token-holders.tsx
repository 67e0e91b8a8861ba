import { Link } from '@tanstack/react-router';
import type { SignInProvider } from '../../../server/src/oidc/sign-in.ts';
import { count } from '../ui/format.ts';
import { TEXT_LINK } from '../ui/text-link.ts';
import { Ago } from '../ui/time.tsx';

/** What a required provider does not decide: programs do not sign in. */
export function TokenHolders({ provider }: { readonly provider: SignInProvider }) {
  const { name, tokenHolders } = provider;
  return (
    <div className="grid grid-cols-1 gap-3 border-line border-t pt-4">
      <div>
        <p className="font-medium">API tokens go on</p>
        <p className="max-w-prose text-muted">
          Programs do not sign in with {name}. A token works until it ends or is revoked, or until
          its account is disabled or removed: when somebody leaves, do that, or let SCIM do it.
        </p>
      </div>
      {tokenHolders.length === 0 ? (
        <p className="text-muted">Nobody who has to sign in with {name} has one.</p>
      ) : (
        <ul
          aria-label={`Accounts with API tokens that go on without ${name}`}
          className="grid gap-2"
        >
          {tokenHolders.map(({ userId, email, name: person, tokens, lastUsedAt, signedInAt }) => (
            <li key={userId} className="min-w-0 wrap-anywhere">
              <Link
                to="/installation/people/$id"
                params={{ id: userId }}
                className={TEXT_LINK}
                title={email}
              >
                {person}
              </Link>{' '}
              <span className="text-muted">
                {count(tokens, 'token')},{' '}
                {lastUsedAt === null ? (
                  'never used'
                ) : (
                  <>
                    used <Ago at={lastUsedAt} />
                  </>
                )}{' '}
                ·{' '}
                {signedInAt === null ? (
                  `never signed in with ${name}`
                ) : (
                  <>
                    signed in with {name} <Ago at={signedInAt} />
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
