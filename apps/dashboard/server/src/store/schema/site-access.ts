import type { SigningAlgorithm } from '../../edge/access/site-access.ts';

/** What of a project's sites is private: previews are the addresses of deploys and branches. */
export type Private = 'nothing' | 'previews' | 'everything';

export interface SiteAccessTables {
  /** How the private sites of a project let visitors in, besides those with a role in it. */
  site_access: {
    project_id: string;
    /** 1: everyone with an account may read. */
    everyone: number;
    /** Of the shared password: argon2id, in PHC format. null: there is none. */
    password_hash: string | null;
    /** Another one for each password that was set: sessions of an earlier one have ended. */
    password_id: string | null;
    /** When it was set. */
    password_at: number | null;
  };

  /** The groups whose members may read. */
  site_access_groups: { project_id: string; group_id: string };

  /** Public keys of those who sign links and tokens. */
  site_access_keys: {
    id: string;
    project_id: string;
    /** Unique in the project. */
    kid: string;
    algorithm: SigningAlgorithm;
    /** JSON Web Key. */
    public_key: string;
    created_at: number;
    created_by_email: string;
  };

  /** A ticket carries somebody who is signed in to the dashboard over to a site, once. */
  site_tickets: {
    /** SHA-256 of the ticket, in hex. */
    ticket_hash: string;
    project_id: string;
    host: string;
    /** Of the dashboard. */
    session_id: string;
    /** SHA-256 of the secret of the browser that asked, in base64url. */
    state: string;
    expires_at: number;
  };

  /** Signed links that were exchanged, as long as they would be valid. */
  site_links: { link_hash: string; expires_at: number };

  /** Readers of private sites. One of `password_id`, `session_id` and `key_id` says how they came in. */
  site_sessions: {
    /** SHA-256 of the cookie's value, in hex. */
    token_hash: string;
    project_id: string;
    host: string;
    password_id: string | null;
    /** Of the dashboard. */
    session_id: string | null;
    key_id: string | null;
    created_at: number;
    expires_at: number;
  };
}
