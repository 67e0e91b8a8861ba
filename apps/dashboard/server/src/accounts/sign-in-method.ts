/** What a sign-in begins with. A passkey checks that its owner is there (user verification): nothing more is asked. */
export type FirstProof = 'password' | 'passkey' | `provider:${string}`;

/** What is asked then of whoever has a second factor. */
export type SecondProof = 'code' | 'recovery_code' | 'passkey';

/** How a session began, for its user to see: `password`, `password+code`, `provider:acme`. */
export type SignInMethod = FirstProof | `${FirstProof}+${SecondProof}`;
