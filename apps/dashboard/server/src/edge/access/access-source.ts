import type { CanonicalHost } from '../host.ts';

/** What a visitor shows of themselves. */
export type Credential =
  /** The secret of a site's cookie. */
  | { readonly kind: 'session'; readonly secret: string; readonly host: CanonicalHost }
  /** An API token of the dashboard. */
  | { readonly kind: 'token'; readonly secret: string }
  /** The key by which a token was signed; the signature was right. */
  | { readonly kind: 'key'; readonly id: string };

/**
 * `allowed`; `unknown`: it has ended, was revoked, or never was; `stranger`: it is good, and its owner may not read this
 * site; `scope`: it lacks the scope `read`.
 */
export type Verdict = 'allowed' | 'unknown' | 'stranger' | 'scope';

/** Where a visitor is: a project, and the one host for which their session will be. */
export interface Place {
  readonly projectId: string;
  readonly host: CanonicalHost;
}

/** The secret of a session that has begun, and how long it lasts at most, in milliseconds. */
export interface Begun {
  readonly secret: string;
  readonly lifetimeMs: number;
}

type PasswordResult =
  | Begun
  | { readonly refused: 'wrong' }
  | { readonly refused: 'too_many'; readonly waitMs: number }
  /** Too many passwords are being checked. */
  | { readonly refused: 'busy' };

interface SignedLink {
  readonly keyId: string;
  /** Names the link: it is exchanged once. */
  readonly hash: string;
  /** Until when it is valid; it is remembered as long. Both in milliseconds since 1970. */
  readonly expiresAt: number;
  /** When reading ends. */
  readonly endsAt: number;
}

/**
 * The edge's narrow interface to who may read private sites. Each answer holds for this instant: what ends someone's
 * access (a password, a group, a session, a key, an account) shows in the next one. Calls reject when the store is
 * unavailable.
 */
export interface AccessSource {
  /** The clock, in milliseconds since 1970. */
  now(): number;
  judge(projectId: string, credential: Credential): Promise<Verdict>;
  /** `network`: whose failures are counted; undefined: only those of the site are. */
  signInWithPassword(
    place: Place,
    password: string,
    network: string | undefined,
  ): Promise<PasswordResult>;
  /** Exchanges the ticket of an account, once. `state`: that of the browser that asked for it. undefined: it is not good. */
  redeemTicket(place: Place, ticket: string, state: string): Promise<Begun | undefined>;
  /** Exchanges a signed link, once. undefined: it was exchanged before. */
  redeemLink(place: Place, link: SignedLink): Promise<Begun | undefined>;
  endSession(place: Place, secret: string): Promise<void>;
}
