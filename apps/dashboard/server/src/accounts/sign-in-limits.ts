import { clientNetwork } from '@petstore/http/networks.ts';
import { count } from '@petstore/service/text.ts';
import { rateLimited } from '../api-error.ts';
import {
  decrementCounter,
  deleteCounter,
  incrementCounter,
  pruneCounters,
} from '../store/rate-counters.ts';
import type { Db } from '../store/schema.ts';
import type { KnownBrowser } from './known-browser.ts';

const WINDOW_MS = 15 * 60_000;

/**
 * Failed sign-ins in a window. `pair` stops one person who forgot a password; `ip` one who tries many accounts from one
 * network; `email` one who tries an account from many networks. The last also locks out the account's owner for a
 * while, but not out of browsers that the account knows.
 */
const LIMITS = { pair: 10, ip: 100, email: 200 } as const;

/** Failed tries of a password in a browser that the account knows, or of a user with a session: no strangers are among them. */
const OWN_TRIES = { limit: LIMITS.pair, windowMs: WINDOW_MS };

/**
 * Counts a sign-in before its result is known. `browser`: one that the account of the address knows; beyond its own tries
 * it is as any other. Throws ApiError `rate_limited` when there were too many. The same for addresses with and without an
 * account. Returns what to call when it succeeded: it does not count then, and earlier failures from the same browser or
 * network are deleted.
 */
export async function limitSignIn(
  db: Db,
  { email, ip, browser }: { email: string; ip: string; browser: KnownBrowser | undefined },
  now: number,
): Promise<() => Promise<void>> {
  await pruneCounters(db, now);
  const own = browser && `browser:${browser.id}`;
  if (own !== undefined) {
    const { count } = await incrementCounter(db, own, now, OWN_TRIES.windowMs);
    if (count <= OWN_TRIES.limit) return () => deleteCounter(db, own);
  }
  const keys = keysOf(email, ip);
  for (const kind of ['pair', 'ip', 'email'] as const) {
    await limitRate(db, keys[kind], { limit: LIMITS[kind], windowMs: WINDOW_MS }, now, tooMany);
  }
  return async () => {
    await deleteCounter(db, keys.pair);
    await decrementCounter(db, keys.ip);
    await decrementCounter(db, keys.email);
  };
}

/**
 * The same for a user with a session, who is asked for their password again: whoever tries to sign in as them does not
 * keep them from it.
 */
export async function limitOwnPassword(
  db: Db,
  userId: string,
  now: number,
): Promise<() => Promise<void>> {
  await pruneCounters(db, now);
  const key = `own-password:${userId}`;
  await limitRate(db, key, OWN_TRIES, now, tooMany);
  return () => deleteCounter(db, key);
}

function tooMany(waitMs: number): string {
  const minutes = Math.ceil(waitMs / 60_000);
  return `Too many tries to sign in. Try again in ${count(minutes, 'minute')}.`;
}

/** Sign-ups from one network: each hashes a password and may create an account. */
const SIGN_UPS = { limit: 20, windowMs: WINDOW_MS };

/** Counts a sign-up. Throws ApiError `rate_limited` when there were too many. */
export async function limitSignUp(db: Db, ip: string, now: number): Promise<void> {
  const message = () => 'Too many sign-ups from this address. Try again later.';
  await limitRate(db, `sign-up:${clientNetwork(ip)}`, SIGN_UPS, now, message);
}

/** Requests of links for a new password, from one network and for one address. */
const RESETS = { limit: 20, windowMs: WINDOW_MS };
const RESETS_OF_ADDRESS = { limit: 3, windowMs: 60 * 60_000 };

/** Counts a request of a link. Throws ApiError `rate_limited` when there were too many from a network. */
export async function limitResetRequests(db: Db, ip: string, now: number): Promise<void> {
  const message = () => 'Too many requests from this address. Try again later.';
  await limitRate(db, `reset:${clientNetwork(ip)}`, RESETS, now, message);
}

/** Counts an e-mail with such a link. Whether the address may get it: nobody fills another's mailbox. */
export async function isWithinResetLimit(db: Db, email: string, now: number): Promise<boolean> {
  const { limit, windowMs } = RESETS_OF_ADDRESS;
  const { count } = await incrementCounter(db, `reset-email:${email}`, now, windowMs);
  return count <= limit;
}

/** Changes of the address of one account, each of which may mail to someone. */
const EMAIL_CHANGES = { limit: 5, windowMs: 60 * 60_000 };

/** Counts a change of an address. Throws ApiError `rate_limited` when there were too many. */
export async function limitEmailChanges(db: Db, userId: string, now: number): Promise<void> {
  await limitRate(db, `email-change:${userId}`, EMAIL_CHANGES, now, (waitMs) => {
    const minutes = Math.ceil(waitMs / 60_000);
    return `Too many changes of your address. Try again in ${count(minutes, 'minute')}.`;
  });
}

/** Answers of providers that did not sign anyone in: each asks the provider. */
const PROVIDER_ANSWERS = { limit: 100, windowMs: WINDOW_MS };

/** Counts an answer before it is known what it says. Throws ApiError `rate_limited` when there were too many. */
export async function limitProviderAnswers(db: Db, ip: string, now: number): Promise<void> {
  const message = () => 'Too many tries to sign in from this address. Try again later.';
  await limitRate(db, providerKey(ip), PROVIDER_ANSWERS, now, message);
}

/** It did sign someone in. */
export async function recordProviderSuccess(db: Db, ip: string): Promise<void> {
  await decrementCounter(db, providerKey(ip));
}

const providerKey = (ip: string) => `provider:${clientNetwork(ip)}`;

function keysOf(email: string, ip: string) {
  const network = clientNetwork(ip);
  return { pair: `pair:${network} ${email}`, ip: `ip:${network}`, email: `email:${email}` };
}

/**
 * Counts one more of `key`, at most `limit` in a window of `windowMs` milliseconds. Throws ApiError `rate_limited`
 * beyond that, with a message about how long to wait, in milliseconds.
 */
export async function limitRate(
  db: Db,
  key: string,
  { limit, windowMs }: { readonly limit: number; readonly windowMs: number },
  now: number,
  message: (waitMs: number) => string,
): Promise<void> {
  const { count, resetsAt } = await incrementCounter(db, key, now, windowMs);
  const waitMs = resetsAt - now;
  if (count > limit) throw rateLimited(message(waitMs), waitMs);
}
