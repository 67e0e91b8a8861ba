import type { Generated } from 'kysely';

// The tables, as Kysely knows them on either database. Instants are integers, in milliseconds since
// 1970; truth values are 0 and 1; JSON is text: so that a row reads the same on both.

type InstallationRole = 'owner' | 'user';
export type Role = 'owner' | 'editor' | 'viewer';
export type Plan = 'free' | 'pro' | 'enterprise';
type DeployState = 'queued' | 'building' | 'succeeded' | 'failed';
type SourceKind = 'document' | 'tar.gz' | 'zip';

export interface Database {
  users: UsersTable;
  sessions: SessionsTable;
  api_tokens: ApiTokensTable;
  sign_in_failures: SignInFailuresTable;
  projects: ProjectsTable;
  members: MembersTable;
  invitations: InvitationsTable;
  deploys: DeploysTable;
  deploy_log: DeployLogTable;
  artifacts: ArtifactsTable;
  artifact_blobs: ArtifactBlobsTable;
  blobs: BlobsTable;
  site_clock: SiteClockTable;
  site_changes: SiteChangesTable;
  audit_log: AuditLogTable;
}

interface UsersTable {
  id: string;
  /** In lower case; unique. */
  email: string;
  name: string;
  /** argon2id, in PHC format. */
  password_hash: string;
  role: InstallationRole;
  created_at: number;
}

interface SessionsTable {
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
}

interface ApiTokensTable {
  id: string;
  /** SHA-256 of the token, in hex. */
  token_hash: string;
  user_id: string;
  name: string;
  /** null: every project of the user. */
  project_id: string | null;
  created_at: number;
  expires_at: number | null;
  /** Written at most once a minute. */
  last_used_at: number | null;
  revoked_at: number | null;
}

interface SignInFailuresTable {
  /** `email:` or `ip:`, and whose. */
  key: string;
  count: number;
  /** When counting begins anew. */
  resets_at: number;
}

interface ProjectsTable {
  id: string;
  /** A DNS label; unique. */
  slug: string;
  name: string;
  plan: Plan;
  created_at: number;
  live_deploy_id: string | null;
  /** Counts the project's deploys. */
  last_deploy_number: number;
}

interface MembersTable {
  project_id: string;
  user_id: string;
  role: Role;
  created_at: number;
}

interface InvitationsTable {
  id: string;
  /** SHA-256 of the secret in the link, in hex. */
  token_hash: string;
  project_id: string;
  email: string;
  role: Role;
  invited_by: string;
  created_at: number;
  expires_at: number;
  accepted_at: number | null;
  revoked_at: number | null;
}

interface DeploysTable {
  /** 12 characters of a-z and 2-7, random: part of the preview's host name. */
  id: string;
  project_id: string;
  /** 1 for the project's first. */
  number: number;
  state: DeployState;
  source_kind: SourceKind;
  /** The name of the file that was uploaded, for people. */
  source_name: string;
  /** The blob that was uploaded; null once it was built. */
  source_hash: string | null;
  source_size: number;
  /** null until it has succeeded, and once pruned. */
  artifact_hash: string | null;
  /** 1: to be put live when it succeeds. */
  activate: number;
  /** JSON: DeployProblem[]. */
  errors: string;
  created_by: string | null;
  /** The creator's address, kept when the account goes. */
  created_by_email: string;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  /** When it last went live. */
  activated_at: number | null;
  pruned_at: number | null;
  /** How often a process began to build it. */
  attempts: number;
  /** The process that builds it. */
  leased_by: string | null;
  /** Another may take it over from here on. */
  leased_until: number | null;
}

interface DeployLogTable {
  deploy_id: string;
  /** 1 for the first line. */
  seq: number;
  at: number;
  level: 'info' | 'warning' | 'error';
  message: string;
}

/** What a build made. The same document gives the same hash, so deploys share artifacts. */
interface ArtifactsTable {
  hash: string;
  /** JSON: Manifest of deploys/artifact.ts. */
  manifest: string;
  created_at: number;
}

interface ArtifactBlobsTable {
  artifact_hash: string;
  blob_hash: string;
}

interface BlobsTable {
  /** SHA-256 of the bytes, in hex. */
  hash: string;
  bytes: Uint8Array;
  created_at: number;
}

/** One row, with the latest change: whoever changes sites holds it until its transaction ends, so
 * changes are seen in the order of their numbers. */
interface SiteClockTable {
  id: 1;
  seq: number;
  /** The latest change's mark. */
  mark: string;
}

/** What edges read to know which hosts to look up anew. */
interface SiteChangesTable {
  seq: number;
  /** Random: tells a change from one that had its number before the database was restored. */
  mark: string;
  project_id: string;
  at: number;
}

interface AuditLogTable {
  id: Generated<number>;
  at: number;
  /** null: the operator on the command line, or the system. */
  actor_id: string | null;
  /** For people, and kept when the account goes: an address, `operator`, `system`. */
  actor: string;
  /** How they came: a session, a token, the command line. */
  via: 'session' | 'token' | 'command' | 'system' | 'none';
  ip: string;
  /** Such as `project.create`. */
  action: string;
  project_id: string | null;
  /** What it was done to, for people. */
  target: string;
  /** JSON. */
  details: string;
}
