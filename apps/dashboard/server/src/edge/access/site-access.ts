/** What a private site asks of its visitors, and where they sign in. Its presence says that the site is private. */
export interface SiteAccess {
  /** The origin of this very host as browsers see it: `https://docs.example.com`. */
  readonly origin: string;
  /** The project's name, for the sign-in page. */
  readonly name: string;
  /** The artifact whose colours the sign-in page has: the same for all hosts of a project. undefined: the usual ones. */
  readonly look: string | undefined;
  /** Whether there is a shared password. */
  readonly hasPassword: boolean;
  /** Of those who sign links and tokens. */
  readonly keys: readonly SigningKey[];
  /** The dashboard's origin, where people sign in with their account. */
  readonly dashboard: string;
}

/** A public key that a project's owners have registered. */
export interface SigningKey {
  readonly id: string;
  /** The `kid` of what is signed with it. */
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  /** JSON Web Key (RFC 7517), as JSON. */
  readonly publicKey: string;
}

export const SIGNING_ALGORITHMS = ['EdDSA', 'ES256', 'RS256'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];
