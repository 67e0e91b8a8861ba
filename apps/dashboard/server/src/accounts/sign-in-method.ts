/**
 * What a sign-in begins with. A passkey checks that its owner is there (user verification): nothing more is asked. `link`
 * is the operator's.
 */
export type FirstFactor = 'password' | 'passkey' | 'link' | `provider:${string}`;

/** What is asked then of whoever has a second factor. */
export type SecondFactor = 'code' | 'recovery_code' | 'passkey';

/** How a session began, for its user to see: `password`, `password+code`, `provider:acme`. */
export type SignInMethod = FirstFactor | `${FirstFactor}+${SecondFactor}`;

/** With which identity of a provider a sign-in began, and in which session of the provider's own. */
export interface UsedIdentity {
  readonly id: string;
  readonly sid: string | null;
  readonly sealedIdToken: string | null;
  /**
   * When its owner last proved to the provider who they are, in milliseconds since 1970: the provider may answer for a
   * session of its own without asking anybody. undefined: it does not tell.
   */
  readonly provenAt?: number | undefined;
}
