import type { SignedOut } from '../../../server/src/oidc/sign-in.ts';
import { Alert } from '../ui/alert.tsx';
import { TEXT_LINK } from '../ui/text-link.ts';

const KEY = 'signed out of';

/** Remembers, for the page that is loaded next, that somebody is still signed in at their provider. */
export function rememberSignedOut(signedOut: SignedOut | undefined): void {
  if (signedOut) sessionStorage.setItem(KEY, JSON.stringify(signedOut));
}

/** What is remembered, this once. */
function takeSignedOut(): SignedOut | undefined {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return text === null ? undefined : (JSON.parse(text) as SignedOut);
}

/** Read once for each load of the page: the address has the person's ID token. */
const signedOut = takeSignedOut();

/** After signing out: the provider's own session goes on, which matters on a computer that others use. */
export function StillSignedIn() {
  if (!signedOut) return null;
  return (
    <Alert>
      You are signed out here, and still signed in at {signedOut.provider}.{' '}
      <a href={signedOut.url} className={TEXT_LINK}>
        Sign out there, too
      </a>
    </Alert>
  );
}
