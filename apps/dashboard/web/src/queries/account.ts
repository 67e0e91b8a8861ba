import { queryOptions } from '@tanstack/react-query';
import type {
  AccountLink,
  EmailChange,
  PendingSignIn,
  Session,
  User,
  Visitor,
} from '../../../server/src/accounts/account.ts';
import type { Factors } from '../../../server/src/accounts/factors/factor.ts';
import type { Identity } from '../../../server/src/oidc/sign-in.ts';
import { request } from '../api.ts';
import { get, list } from './get.ts';
import { keys } from './keys.ts';

/** Who is signed in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: async ({ signal }): Promise<User | null> =>
    (await get<Visitor>('/visitor')({ signal })).user,
  staleTime: 60_000,
});

/** What is asked of this browser, whose sign-in is under way; null: none is. */
export const pendingSignInQuery = queryOptions({
  queryKey: keys.pendingSignIn,
  queryFn: async ({ signal }): Promise<PendingSignIn | null> =>
    (await get<Visitor>('/visitor')({ signal })).pending,
});

/**
 * For both on pages where people sign in. A set-up begins the session while the page shows recovery codes, which nothing
 * else has: it must not find out by itself, and go on without them.
 */
export const WHILE_SIGNING_IN = { refetchOnWindowFocus: false, refetchOnReconnect: false };

/** What someone's link is for. It is asked by a body: addresses end up in logs. */
export const accountLinkQuery = (secret: string) =>
  queryOptions({
    queryKey: ['account link', secret],
    queryFn: ({ signal }) =>
      request<AccountLink>('POST', '/account-links/look-up', { secret }, signal),
  });

/** The address that the account is to have. */
export const emailChangeQuery = queryOptions({
  queryKey: keys.emailChange,
  queryFn: get<EmailChange>('/account/email'),
});

export const factorsQuery = queryOptions({
  queryKey: keys.factors,
  queryFn: get<Factors>('/account/factors'),
});

/** The providers that the user signs in with. */
export const identitiesQuery = list<Identity>(keys.identities, '/account/identities');

export const sessionsQuery = list<Session>(keys.sessions, '/account/sessions');
