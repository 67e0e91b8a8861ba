import { createContext, useContext } from 'react';
import type { PendingSignIn, User } from '../../../server/src/accounts/account.ts';
import type { SignedOut } from '../../../server/src/oidc/sign-in.ts';
import { request } from '../api.ts';
import { keys } from '../queries/keys.ts';
import { queryClient, showChanged } from '../query-client.ts';
import { rememberSignedOut } from './signed-out.tsx';

export const UserContext = createContext<User | undefined>(undefined);

/** The signed-in user. Only for pages that require one. */
export function useUser(): User {
  const user = useContext(UserContext);
  if (!user) throw new Error('useUser outside of the pages that need someone signed in');
  return user;
}

/** Stores who has signed in, and drops the data that another account saw. */
export function becomeUser(user: User): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => !KEPT.has(String(queryKey[0])) });
  showChanged(keys.session, user);
}

const KEPT = new Set(['installation', 'session', 'invitation', 'plans']);

/** The user where the password is all that is asked, or what is asked then. */
export function signIn(credentials: {
  email: string;
  password: string;
}): Promise<User | PendingSignIn> {
  return request<User | PendingSignIn>('POST', '/session', credentials);
}

export function isPending(outcome: User | PendingSignIn): outcome is PendingSignIn {
  return 'next' in outcome;
}

/** Ends the session and reloads the page, so that nothing of it stays in memory. */
export async function signOut(next: string): Promise<void> {
  rememberSignedOut(await request<SignedOut | undefined>('DELETE', '/session'));
  window.location.assign(next);
}
