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
 * `allowed`; `unknown`: it expired, was revoked, or never existed; `stranger`: it is valid, but its owner may not read
 * this site; `scope`: it lacks the scope `read`.
 */
export type AccessDecision = 'allowed' | 'unknown' | 'stranger' | 'scope';

/** Where a visitor is: a project, and the one host for which their session will be. */
export interface SessionScope {
  readonly projectId: string;
  readonly host: CanonicalHost;
}

/** The secret of a session that has begun, and how long it lasts at most, in milliseconds. */
export interface NewSession {
  readonly secret: string;
  readonly lifetimeMs: number;
}

type PasswordResult =
  | NewSession
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
  judge(projectId: string, credential: Credential): Promise<AccessDecision>;
  /** `network`: whose failures are counted; undefined: only those of the site are. */
  signInWithPassword(
    scope: SessionScope,
    password: string,
    network: string | undefined,
  ): Promise<PasswordResult>;
  /** Exchanges the ticket of an account, once. `state`: that of the browser that asked for it. undefined: it is not good. */
  redeemTicket(scope: SessionScope, ticket: string, state: string): Promise<NewSession | undefined>;
  /** Exchanges a signed link, once. undefined: it was exchanged before. */
  redeemLink(scope: SessionScope, link: SignedLink): Promise<NewSession | undefined>;
  endSession(scope: SessionScope, secret: string): Promise<void>;
}
