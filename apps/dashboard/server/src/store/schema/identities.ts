export interface IdentityTables {
  /** Accounts at OpenID providers with which a user signs in. */
  identities: {
    id: string;
    user_id: string;
    /** The provider's name in the configuration. */
    provider: string;
    /** With `subject` unique: who it is, for good. The address is not. */
    issuer: string;
    subject: string;
    /** The address that the provider gave last, for people. */
    email: string | null;
    created_at: number;
    last_used_at: number | null;
  };

  /** How it went with each provider, for the installation's owner. */
  oidc_states: {
    provider: string;
    /** When its configuration was read last. */
    discovered_at: number | null;
    /** What failed last, and when; null since the configuration was read. */
    failed_at: number | null;
    failure: string | null;
  };

  /** What a directory says of an account, beyond the account itself. */
  scim_users: {
    user_id: string;
    /** As the directory spells it. */
    user_name: string;
    /** The same in lower case; unique. */
    user_name_key: string;
    external_id: string | null;
    /** JSON: UserAttributes of scim/users/user-resource.ts. */
    attributes: string;
    created_at: number;
    updated_at: number;
  };

  scim_tokens: {
    id: string;
    name: string;
    /** SHA-256 of the token, in hex. */
    token_hash: string;
    created_by_email: string;
    created_at: number;
    /** Written at most once a minute. */
    last_used_at: number | null;
    revoked_at: number | null;
  };
}
