import type { Generated } from 'kysely';
import type { Private } from './site-access.ts';

export type Role = 'owner' | 'editor' | 'viewer';

export type Plan = 'free' | 'pro' | 'enterprise';

export interface ProjectTables {
  projects: {
    id: string;
    /** A DNS label; unique. */
    slug: string;
    name: string;
    plan: Plan;
    created_at: number;
    live_deploy_id: string | null;
    /** Counts the project's deploys. */
    last_deploy_number: number;
    /** The domain to which all others redirect; null: none, each serves the site. */
    primary_domain_id: string | null;
    /** 1: the host under the platform's redirects to the primary domain, too. */
    redirect_platform_host: Generated<number>;
    /** 1: programs may ask the project's sites at `/mcp`. */
    mcp: Generated<number>;
    /** 1: readers may send requests to the API through the project's sites, where the operator allows it. */
    request_proxy: Generated<number>;
    /** 1: a deploy with warnings fails. */
    strict: Generated<number>;
    /** 1: a deploy that breaks clients goes live when an owner confirms it. */
    hold_breaking: Generated<number>;
    /** The version that the site's address leads to; null: it shows the live deploy. */
    default_version: string | null;
    /** 1: what readers of its sites do is counted. */
    count_readers: Generated<number>;
    /** JSON: Analytics, a script that its pages load; null: none. */
    analytics: string | null;
    private: Generated<Private>;
    /** Bytes of what its deploys hold: the sum of its `project_contents`. */
    stored_bytes: Generated<number>;
    /** The share of its quota, in percent, that its owners were last told of: 0, 90 or 100. */
    stored_told: Generated<number>;
  };

  members: { project_id: string; user_id: string; role: Role; created_at: number };

  invitations: {
    id: string;
    /** SHA-256 of the secret in the link, in hex. */
    token_hash: string;
    project_id: string;
    email: string;
    role: Role;
    invited_by: string;
    /** The API token that it was created with; null: none. */
    token_id: string | null;
    created_at: number;
    expires_at: number;
    accepted_at: number | null;
    revoked_at: number | null;
  };

  /** What the operator allows. */
  quotas: {
    /** QuotaName of quotas/quota.ts. */
    quota: string;
    /** The id of an account or a project; `plan:` and the name of a plan; `default`: all others. */
    target: string;
    /** null: no bound, where others have one. */
    value: number | null;
  };

  /** First labels of hosts under the platform's, reserved from all projects, or for some. */
  reserved_labels: {
    label: string;
    /** null: permanently, since it is a claim's target. Otherwise it is a slug that a project released. */
    reserved_until: number | null;
    /** The project that had the slug; it may be gone. */
    project_id: string | null;
    /** JSON: the ids of the users who owned that project then. */
    owner_ids: string;
    /** 1: the address of a slug leads to its project as long as it is reserved; 0: the owner has ended that. */
    redirects: Generated<number>;
  };
}
