import type { Generated } from 'kysely';

export type InstallationRole = 'owner' | 'user';

export interface AccountTables {
  users: {
    id: string;
    /** In lower case; unique. */
    email: string;
    name: string;
    /** argon2id, in PHC format; NO_PASSWORD of accounts/passwords.ts for none. */
    password_hash: string;
    role: InstallationRole;
    created_at: number;
    /** Since then neither sessions nor tokens of the account are accepted; null: it is not disabled. */
    disabled_at: Generated<number | null>;
    /** When a session of the account was used last. Written at most once a minute. */
    last_seen_at: Generated<number | null>;
    /** 1: made by a first start, with an address that is nobody's; its owner is asked for their own. */
    is_provisional: Generated<number>;
    /** When the person put the list of first steps away; null: it is shown until all are done. */
    first_steps_hidden_at: Generated<number | null>;
    /** The same as \`stored_told\` of projects, of the bytes that all its projects may hold together. */
    stored_told: Generated<number>;
  };

  account_links: {
    user_id: string;
    /**
     * `email` confirms a new address, `password` lets whoever forgot the password set another one, `sign_in` is the
     * operator's way in.
     */
    kind: 'email' | 'password' | 'sign_in';
    /** SHA-256 of the secret in the link, in hex. */
    token_hash: string;
    /** The address that it was made for. */
    email: string;
    created_at: number;
    expires_at: number;
  };

  sessions: {
    id: string;
    /** SHA-256 of the cookie's value, in hex. */
    token_hash: string;
    user_id: string;
    created_at: number;
    /** Written at most once a minute. */
    last_seen_at: number;
    expires_at: number;
    ip: string;
    user_agent: string;
    /** How it began: SignInMethod of accounts/sign-in-method.ts. */
    method: Generated<string>;
    /** The identity that it began with; null: without a provider. */
    identity_id: Generated<string | null>;
    /** The `sid` of the provider's own session. */
    provider_sid: Generated<string | null>;
    /** The ID token that the provider wants to see again at a sign-out; sealed. */
    sealed_id_token: Generated<string | null>;
    /** When the user last proved who they are. */
    confirmed_at: Generated<number>;
  };

  api_tokens: {
    id: string;
    /** SHA-256 of the token, in hex. */
    token_hash: string;
    user_id: string;
    name: string;
    /** null: every project of the user. */
    project_id: string | null;
    /** Scopes of accounts/permissions.ts, with spaces between. */
    scopes: string;
    created_at: number;
    expires_at: number | null;
    /** Written at most once a minute. */
    last_used_at: number | null;
    revoked_at: number | null;
  };

  sign_in_failures: {
    /** The counter's key: `pair:`, `ip:`, `email:` or `sign-up:`, and whom it counts. */
    key: string;
    count: number;
    /** When the window of the counter ends. */
    resets_at: number;
  };
}
