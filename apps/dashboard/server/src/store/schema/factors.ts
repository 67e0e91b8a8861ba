import type { Generated } from 'kysely';

/** Of whom a second factor is required. */
export type SecondFactorPolicy = 'optional' | 'owners' | 'everyone';

export interface FactorTables {
  /** Visitors who have proved one thing of two; each is bound to a browser by its cookie. */
  pending_sign_ins: {
    /** SHA-256 of the cookie's value, in hex. */
    secret_hash: string;
    user_id: string;
    /** How they began: SignInMethod of accounts/sign-in-method.ts. */
    method: string;
    /** What is missing: a second factor that the user has, or one to set up. */
    next: 'second_factor' | 'set_up';
    expires_at: number;
    /** As the session will have it. */
    identity_id: Generated<string | null>;
    provider_sid: Generated<string | null>;
    sealed_id_token: Generated<string | null>;
  };

  /** What counts one time only: a sign-in's `state`, a log-out token's `jti`. */
  used_once: {
    key: string;
    /** From then on it is refused for its age. */
    expires_at: number;
  };

  /** What passkeys are asked to sign, each once. */
  passkey_challenges: {
    /** base64url. */
    challenge: string;
    purpose: 'sign_in' | 'second_factor' | 'confirm' | 'create';
    /** The session, or the SHA-256 of the cookie of a browser that has none. */
    bound_to: string;
    expires_at: number;
  };

  passkeys: {
    id: string;
    user_id: string;
    /** base64url; unique. */
    credential_id: string;
    /** COSE, in base64url. */
    public_key: string;
    /** The signature counter of its last use; 0: it has none. */
    counter: number;
    /** JSON: string[], hints for browsers. */
    transports: string;
    /** The host that it was made for, and works with. */
    rp_id: string;
    name: string;
    /** 1: it may be copied to other devices (BE); 0: it is bound to one. */
    backup_eligible: number;
    /** 1: a copy exists (BS). */
    backed_up: number;
    created_at: number;
    last_used_at: number | null;
    /** When a use was refused because its counter went back; null: never. */
    counter_refused_at: number | null;
  };

  /** The secrets that people's authenticator apps make codes of. */
  authenticator_apps: {
    user_id: string;
    sealed_secret: string;
    /** The time step of the last code that was taken: each code works once. */
    last_step: number;
    created_at: number;
    last_used_at: number | null;
  };

  recovery_codes: {
    user_id: string;
    code_hash: string;
    created_at: number;
    used_at: number | null;
  };

  /** Accounts at which too many wrong codes were tried after the right password, until their users have seen it. */
  code_guesses: { user_id: string; at: number };

  /** One row, once the installation's owner has chosen. */
  security_policy: {
    id: number;
    second_factor: SecondFactorPolicy;
    /** 1: whoever signs in by a provider is asked for their own second factor, too. */
    after_provider: number;
  };
}
