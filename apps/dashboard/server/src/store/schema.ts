import type {
  ColumnType,
  Generated,
  Insertable,
  Kysely,
  Selectable,
  Transaction,
  Updateable,
} from 'kysely';
import type { SigningAlgorithm } from '../edge/access/site-access.ts';

// The tables, in Kysely's types for both databases. Instants are integers, in milliseconds since 1970; booleans are 0
// and 1; JSON is text. So a row reads the same on both.

export type InstallationRole = 'owner' | 'user';
export type Engine = 'sqlite' | 'postgres';

export type Role = 'owner' | 'editor' | 'viewer';
/** Where a membership of a group comes from: by hand, from a directory, or from a provider's sign-in. */
export type MemberSource = 'local' | 'scim' | `oidc:${string}`;
/** What of a project's sites is private: previews are the addresses of deploys and branches. */
export type Private = 'nothing' | 'previews' | 'everything';
export type Plan = 'free' | 'pro' | 'enterprise';
/** Of whom a second factor is required. */
export type SecondFactorPolicy = 'optional' | 'owners' | 'everyone';
type DeployState = 'queued' | 'building' | 'succeeded' | 'failed';
export type SourceKind = 'document' | 'tar.gz' | 'zip';

/** The database, or a transaction of it. */
export type Db = Kysely<Database>;
/** A transaction. A function with this parameter happens together with the rest of the transaction, or not at all. */
export type Trx = Transaction<Database>;

/** A view's columns: they are read and never written. */
type ViewOf<Columns> = { [Name in keyof Columns]: ColumnType<Columns[Name], never, never> };

type Table = keyof Database;
/** A row as it is read, of the table with that name. */
export type Row<T extends Table> = Selectable<Database[T]>;
/** A row to insert. */
export type NewRow<T extends Table> = Insertable<Database[T]>;
/** Columns to change. */
export type RowChange<T extends Table> = Updateable<Database[T]>;

export interface Database {
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

  /** What the deploys of projects hold (store/project-contents.ts). Those of deleted projects are removed later. */
  project_contents: {
    project_id: string;
    blob_hash: string;
    /** Bytes, as they are stored. */
    size: number;
    /** How many artifacts of the project's deploys have it. */
    artifacts: number;
  };

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

  members: { project_id: string; user_id: string; role: Role; created_at: number };

  /** What the operator allows. */
  quotas: {
    /** QuotaName of quotas/quota.ts. */
    quota: string;
    /** The id of an account or a project; `plan:` and the name of a plan; `default`: all others. */
    target: string;
    /** null: no bound, where others have one. */
    value: number | null;
  };

  /** People whom projects give a role together. */
  groups: {
    id: string;
    name: string;
    /** The name as it is compared (groups/group-name.ts); unique. */
    name_key: string;
    /** Who changes it: people by hand, or a directory by SCIM. */
    source: 'local' | 'scim';
    /** The directory's own id; null: it has none. */
    external_id: string | null;
    created_at: number;
    /** When its name or its members changed last. */
    updated_at: number;
  };

  /** A user is a member while any source says so. */
  group_members: { group_id: string; user_id: string; source: MemberSource; created_at: number };

  group_roles: { group_id: string; project_id: string; role: Role; created_at: number };

  /** A view: every way in which a user has a role in a project; `group_id` null: a membership of their own. */
  role_grants: ViewOf<{
    project_id: string;
    user_id: string;
    role: Role;
    created_at: number;
    group_id: string | null;
  }>;

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

  deploys: {
    /** 12 characters of a-z and 2-7, random: part of the preview's host name. */
    id: string;
    project_id: string;
    /** 1 for the project's first. */
    number: number;
    state: DeployState;
    source_kind: SourceKind;
    /** The name of the file that was uploaded, for people. */
    source_name: string;
    source_size: number;
    /** The path of the document in an archive; null where the archive says it. */
    source_document: string | null;
    /** JSON: DeployCommit of deploys/commit/deploy-commit.ts. null: its sender named none. */
    source_commit: Generated<string | null>;
    /** null until it has succeeded, and once pruned. */
    artifact_hash: string | null;
    /** 1: it goes live when it succeeds. */
    activate: number;
    /** The branch whose preview shows it; such a deploy never goes live. null: none. */
    branch: string | null;
    /** The version of the site that shows it; such a deploy is never the project's live one. null: none. */
    version: string | null;
    /** 1: it fails where it has warnings. */
    strict: Generated<number>;
    /** JSON: BuildProblem[]. */
    errors: string;
    /** JSON: Finding[]. */
    findings: Generated<string>;
    created_by: string | null;
    /** The creator's address, kept when the account goes. */
    created_by_email: string;
    /** The API token that it was sent with; null: none. */
    token_id: string | null;
    created_at: number;
    started_at: number | null;
    finished_at: number | null;
    /** When it last went live. */
    activated_at: number | null;
    pruned_at: number | null;
    /** How often a process has begun to build it. */
    attempts: number;
    /** The process that builds it. */
    leased_by: string | null;
    /** From here on another process may take it over. */
    leased_until: number | null;
    /** JSON: DeployComparison of deploys/changes/deploy-change.ts. null: it was compared with nothing. */
    comparison: Generated<string | null>;
    /** Why it may break clients, in its sender's words, who may say so; null: it may not where its project minds. */
    allow_breaking: Generated<string | null>;
    /** The repository that it was fetched from; it may be gone. null: it was uploaded. */
    repository_id: Generated<string | null>;
    /** Why it did not go live: HeldReason of deploys/changes/hold-back.ts. null: it was not held back. */
    held: Generated<string | null>;
    /** What it is about, in its sender's words; null: nothing was said. */
    message: Generated<string | null>;
    /** The name of its creator's account at that time; null: it was no account. */
    created_by_name: Generated<string | null>;
    /** What a search finds it by: deploySearchText of deploys/search-text.ts. */
    search_text: Generated<string>;
  };

  /** What deploys change in the documents that were shown before. */
  deploy_changes: {
    deploy_id: string;
    /** JSON: DeployChange[] of deploys/changes/deploy-change.ts, the gravest first. */
    changes: string;
    /** How many are left out at its end. */
    left_out: number;
  };

  /** Changes of a project's API that its owners allow, although they break clients. */
  change_exceptions: {
    id: string;
    project_id: string;
    /** Of packages/changes/src/rules.ts; null: every change of the operation. */
    code: string | null;
    /** `GET /pets`; null: every operation, and the document itself. */
    operation: string | null;
    reason: string;
    /** The last day on which it holds, `2026-12-31`, in UTC. */
    until: string;
    created_at: number;
    created_by_email: string;
  };

  /** The lasting addresses of branches. */
  branch_previews: {
    project_id: string;
    branch: string;
    /** The part of the host name after the slug: branchLabel of deploys/branch-name.ts. Unique within the project. */
    label: string;
    /** The newest succeeded deploy of the branch; null until there is one. */
    deploy_id: string | null;
    created_at: number;
    /** When a deploy of the branch last arrived. */
    deployed_at: number;
  };

  /** The versions of sites, each below a prefix of its own. */
  site_versions: {
    project_id: string;
    /** Unique within the project. */
    name: string;
    /** The deploy that it shows; null until one has succeeded, and where it is retired. */
    deploy_id: string | null;
    created_at: number;
    /** When a deploy of the version last arrived. */
    deployed_at: number;
    /** Since when its addresses redirect to the default version; null: it is shown. */
    retired_at: number | null;
    /** To which the other domains that show this version redirect. */
    primary_domain_id: Generated<string | null>;
  };

  /**
   * The builds of the last minutes, each attempt of its own. It belongs to no deploy or project: an account that deletes
   * them has used the time all the same.
   */
  builds: {
    deploy_id: string;
    worker: string;
    account_email: string;
    started_at: number;
    /** null: under way. */
    ended_at: number | null;
  };

  /** An upload in chunks, so that no process has all of it in memory. Deleted after the build. */
  deploy_sources: {
    /** The deploy's row is inserted after all chunks. */
    deploy_id: string;
    /** 0 for the first piece. */
    seq: number;
    bytes: Uint8Array;
    created_at: number;
  };

  deploy_log: {
    deploy_id: string;
    /** 1 for the first line. */
    seq: number;
    at: number;
    level: 'info' | 'warning' | 'error';
    message: string;
  };

  /** The result of a build. The same document gives the same hash, so deploys share artifacts. */
  artifacts: {
    hash: string;
    /** JSON: Manifest of deploys/artifact.ts. */
    manifest: string;
    created_at: number;
    /** The key of the build that made it last (deploys/build/build-key.ts). null: of an earlier version. */
    build_key: Generated<string | null>;
    /** JSON: BuildLine[], what that build said after its key was known. */
    build_lines: Generated<string>;
  };

  artifact_blobs: { artifact_hash: string; blob_hash: string };

  blobs: {
    /** SHA-256 of the bytes, in hex. */
    hash: string;
    bytes: Uint8Array;
    created_at: number;
  };

  /** One row, with the latest change. A transaction that changes sites locks it until its end, so edges see changes in
   * the order of their numbers. */
  site_clock: {
    id: 1;
    seq: number;
    /** The latest change's mark. */
    mark: string;
  };

  /** Changes that edges poll to invalidate their caches. */
  site_changes: {
    seq: number;
    /** Random: tells a change from one with the same number before the database was restored. */
    mark: string;
    project_id: string;
    at: number;
  };

  audit_log: {
    id: Generated<number>;
    at: number;
    /** null: the operator on the command line, or the system. */
    actor_id: string | null;
    /** For people, and kept when the account goes: an address, `operator`, `system`. */
    actor: string;
    /** How they were authenticated: a session, a token, the command line. */
    via: 'session' | 'token' | 'command' | 'system' | 'none';
    ip: string;
    /** Their API token; kept, with its name, when the token is deleted. */
    token_id: string | null;
    token_name: string | null;
    /** Such as `project.create`. */
    action: string;
    project_id: string | null;
    /** The object of the action, for people. */
    target: string;
    /** JSON. */
    details: string;
    /** When a syslog receiver had it; null: not yet. */
    forwarded_at: Generated<number | null>;
  };

  /** One row: which process sends the audit log to the syslog receiver. */
  audit_forwarding: { id: 1; leased_by: string | null; leased_until: number | null };

  /** A project's claim to a host name. Several projects may claim one; one of them at most holds it. */
  domains: {
    id: string;
    project_id: string;
    /** A CanonicalHost. Unique within a project, and among those that hold. */
    hostname: string;
    /**
     * The first label of the claim's own host under the platform's: random, so nobody can guess where a record will
     * point.
     */
    target_label: string;
    /** The label of its challenges in the installation's zone, where it is no longer `target_label`; null: it is. */
    challenge_label: string | null;
    /** The value of the TXT record that proves ownership. */
    proof: string;
    /** The secret of the link that shows the records to the owner of the DNS, without an account. */
    link_secret: string;
    /** When it was verified; null: not yet, or no more. */
    verified_at: number | null;
    /**
     * 1 from verification on, also once removed, while DNS points here: no other project gets the name without
     * proof.
     */
    holds: number;
    created_at: number;
    created_by_email: string;
    /** Serves nothing from here on; the row, with its certificate, stays to reserve the name while DNS points here. */
    removed_at: number | null;
    /** 1: the CNAME record of its challenges proves it, and it may be verified before its DNS points here. */
    prepare: Generated<number>;
    /** 1: verified by that record alone so far. It is served, and its DNS has never pointed here. */
    awaits_move: Generated<number>;
    /** Since when DNS of the verified name points elsewhere. */
    moved_away_at: number | null;
    /** Strict-Transport-Security: max-age in seconds; null: not sent. */
    hsts_max_age: number | null;
    hsts_include_subdomains: number;
    /** The one version that it shows; null: the whole site. */
    version: Generated<string | null>;
    /** Where all its requests lead, as JSON (domains/redirect.ts); null: it shows the site. */
    redirect: Generated<string | null>;
    /** 1: the second of a pair, which becomes primary by no other way than being chosen. */
    is_second: Generated<number>;
  };

  /** What happened to a domain, for its timeline. */
  domain_events: {
    id: Generated<number>;
    domain_id: string;
    at: number;
    /** DomainEventKind of domains/domain.ts. */
    kind: string;
    /** A sentence for people. */
    message: string;
    /** JSON. */
    details: string;
  };

  /** The state of a domain's DNS checks: one row a domain. */
  /** What was seen of a domain's move. */
  domain_moves: {
    domain_id: string;
    /** JSON: the records that the name had when it was first seen to lead elsewhere; null: none was seen. */
    old_records: string | null;
    old_seen_at: number | null;
    /** When the host that they lead to answered last. */
    old_answered_at: number | null;
    /** When the name was first seen to lead here; null: it does not, or never did. */
    arrived_at: number | null;
    /** When an edge had a request for the name last, to about ten seconds; null: none was counted. */
    last_request_at: number | null;
  };

  /** Requests for a domain that moves, at all edges together. */
  domain_requests: {
    domain_id: string;
    /** Minutes since 1970. */
    minute: number;
    requests: number;
  };

  domain_checks: {
    domain_id: string;
    /** JSON: Verdict of domains/verdict.ts; null before the first check. */
    verdict: string | null;
    /** 1: the name's records lead to this claim's host, whatever else is wrong. */
    points_here: number;
    /** 1: the CNAME record of its challenges leads to this claim's name in the installation's zone. */
    challenge_here: Generated<number>;
    checked_at: number | null;
    /** When the backoff between checks was reset. */
    began_at: number;
    /** Checks since then. */
    attempts: number;
    /** null: no further background check. */
    next_check_at: number | null;
    leased_by: string | null;
    leased_until: number | null;
  };

  /** The latest rehearsal of a domain's move. */
  rehearsals: {
    domain_id: string;
    requested_at: number;
    requested_by: string;
    /** null: it is still to be done, or under way. */
    finished_at: number | null;
    /** How often it was begun. */
    attempts: number;
    /** Pages of the old site so far. */
    pages_seen: number;
    /** Why it failed. */
    problem: string | null;
    /** JSON: RehearsalResult of domains/rehearsal/rehearsal.ts. */
    result: string | null;
    leased_by: string | null;
    leased_until: number | null;
  };

  /** The certificates of the installation's own names. The work on each is leased as that of issuances is. */
  platform_certificates: {
    /** `*.` and the platform's host, or a name of its own (certificates/platform-names.ts). */
    hostname: string;
    /** PEM, the host's own certificate first; null, as the four below: there is none yet. */
    chain: string | null;
    /** The private key, sealed (certificates/sealing.ts). */
    sealed_key: string | null;
    issuer: string | null;
    serial: string | null;
    not_after: number | null;
    /** Of the challenges under way, with spaces between them. */
    key_authorization: string | null;
    /** Failed attempts in a row. */
    failures: number;
    /** JSON: Problem of certificates/problem.ts. */
    last_problem: string | null;
    /** When to try again, or to renew. */
    next_attempt_at: number;
    leased_by: string | null;
    leased_until: number | null;
    /** Of the order under way; null: its address is not known yet. */
    order_url: string | null;
    /** Its private key, sealed; null: there is no order. */
    order_key: string | null;
    /** Of the certificate, as those of `certificates`; null for one from before they were kept. */
    directory_url: string | null;
    not_before: number | null;
    /** When to ask for its renewal information; null: never. */
    ari_id: string | null;
    ari_check_at: number | null;
  };

  /** Logs of certificates that are followed. */
  ct_logs: {
    /** The SHA-256 of the log's key, in hex. */
    id: string;
    /** JSON: StoredPosition of transparency/log-position.ts; null: it was not read yet. */
    position: string | null;
    next_read_at: number;
    /** When it was last read to its end. */
    read_at: number | null;
    /** Failed looks in a row. */
    failures: number;
    /** Why the last look failed. */
    problem: string | null;
    leased_by: string | null;
    leased_until: number | null;
  };

  /** Certificates of others that were told to those whose name they have. */
  ct_certificates: {
    /** The SHA-256 of issuer and serial, in hex: a precertificate and its certificate have the same. */
    fingerprint: string;
    /** The domain, or `platform`. */
    claim: string;
    issuer: string;
    at: number;
  };

  /** The keys that sign requests to DNS providers (Domain Connect). */
  domain_connect_keys: {
    /** In the installation's zone. */
    label: string;
    /** The private key, sealed (certificates/sealing.ts). */
    sealed_key: string;
    /** SubjectPublicKeyInfo in DER, in base64. */
    public_key: string;
    created_at: number;
  };

  /** The public keys that authorities were asked to certify. */
  certificate_keys: {
    /** SHA-256 of the SubjectPublicKeyInfo, in hex. */
    hash: string;
    at: number;
  };

  /** The serial of the installation's own zone, and what the zone had when it was counted. */
  zone_serials: {
    zone: string;
    /** A hash of the records. */
    content: string;
    serial: number;
  };

  /** The certificate of a verified domain: the latest one, which replaces the one before. */
  certificates: {
    domain_id: string;
    hostname: string;
    /** PEM, the domain's own certificate first. */
    chain: string;
    /** The private key, sealed (certificates/sealing.ts). */
    sealed_key: string;
    issuer: string;
    serial: string;
    not_before: number;
    not_after: number;
    issued_at: number;
    /** When to begin to renew it, with jitter. */
    renew_at: number;
    /** RFC 9773: the id for renewal information; null where the authority has none. */
    ari_id: string | null;
    /** When to request the renewal information again. */
    ari_check_at: number | null;
    /** Of the authority that issued it; null: it was issued when there was one alone. */
    directory_url: string | null;
  };

  /** The issuance of a certificate, from request to end: at most one row for a domain. */
  issuances: {
    domain_id: string;
    hostname: string;
    kind: 'first' | 'renewal';
    /** The next step: Step of certificates/issuance.ts. */
    step: string;
    /** When the present step was reached. */
    step_at: number;
    requested_at: number;
    /** The directory that the order is at: of the authority that is asked now, or the staging one after a failure. */
    directory_url: string;
    /** JSON: Trial[] of certificates/choose-authority.ts: who refused it so far. */
    tried: Generated<string>;
    order_url: string | null;
    /** The private key of the certificate, sealed; a new one for each order. */
    sealed_key: string | null;
    /** Failed attempts in a row. */
    failures: number;
    /** null: no further attempt (last_problem says why). */
    next_attempt_at: number | null;
    /** JSON: Problem of certificates/problem.ts. */
    last_problem: string | null;
    leased_by: string | null;
    leased_until: number | null;
  };

  /**
   * Every order of the last eight days. They are counted by name and without reference to the domain, so that neither
   * removing and adding a domain nor deleting a project starts a new budget.
   */
  acme_orders: {
    id: Generated<number>;
    directory_url: string;
    hostname: string;
    /** The registered domain, by which authorities count certificates: the public suffix and one label. */
    registered_domain: string;
    project_id: string;
    domain_id: string;
    /** 1: a renewal. */
    is_renewal: number;
    /** 1: no limit of the authority counts it: it replaces a certificate as the authority asks for (RFC 9773). */
    is_exempt: Generated<number>;
    at: number;
    /** null until the authority has responded. */
    order_url: string | null;
    /** `ended`: without a certificate and without a failure, as when the domain was removed meanwhile. */
    state: 'open' | 'issued' | 'failed' | 'ended';
    ended_at: number | null;
  };

  /** The account at each directory. */
  acme_accounts: {
    directory_url: string;
    account_url: string | null;
    sealed_key: string;
    /** JSON: the directory's last meta information (its caaIdentities, for instance). */
    directory: string;
    created_at: number;
    /** The authority is not asked before, for any name, where there is another; null: it may be asked. */
    paused_until: number | null;
    /** JSON: the Problem of certificates/problem.ts that paused it. */
    problem: string | null;
  };

  /** The challenges of open orders, to which every edge responds. */
  acme_challenges: {
    hostname: string;
    /** The claim whose order it belongs to. */
    domain_id: string;
    type: 'http-01' | 'tls-alpn-01' | 'dns-01';
    token: string;
    key_authorization: string;
    created_at: number;
  };

  webhooks: {
    id: string;
    project_id: string;
    url: string;
    /** `whsec_…`, sealed. */
    sealed_secret: string;
    /** JSON: EventType[] of notices/event-types.ts. */
    events: Generated<string>;
    created_at: number;
    created_by_email: string;
    /** Set when it was disabled after too many failures. */
    disabled_at: number | null;
    /** JSON of the last delivery: {at, status, error}; null before the first. */
    last_delivery: string | null;
  };

  /** Outgoing e-mails and webhook deliveries, inserted in the transaction of their event (a transactional outbox). */
  notices: {
    id: string;
    /** EventType of notices/event-types.ts, or `webhook.test`. */
    type: string;
    project_id: string;
    /** null: an e-mail. */
    webhook_id: string | null;
    /** null: a webhook. */
    email: string | null;
    /** JSON: the webhook's body, from which an e-mail is written, too. */
    payload: string;
    created_at: number;
    attempts: number;
    next_attempt_at: number | null;
    delivered_at: number | null;
    last_error: string | null;
    leased_until: number | null;
  };

  /** What receivers of webhooks responded: an attempt each. */
  webhook_attempts: {
    id: Generated<number>;
    notice_id: string;
    /** When it began. */
    at: number;
    duration_ms: number;
    /** Of the response; null where there was none. */
    status: number | null;
    /** A sentence for people; null: it was delivered. */
    error: string | null;
    /** The beginning of the response's body. */
    response: string;
  };

  /** The repository that a project is deployed from: one at most. */
  repositories: {
    /** Random: part of the address of its webhook. */
    id: string;
    project_id: string;
    /** As parseRepositoryUrl of packages/git gives it. */
    url: string;
    /** Provider of repositories/repository.ts. */
    provider: string;
    /** The branch that goes live; null: the default one, which was not asked for yet. */
    branch: string | null;
    /** What is deployed: a path in the repository; empty: all of it. */
    folder: string;
    /** 1: other branches become previews. */
    previews: number;
    /** 1: the host is told what becomes of each commit. */
    statuses: number;
    access: 'none' | 'token' | 'deploy_key';
    /** Of the token. */
    username: string | null;
    /** The token or the private half of the deploy key, sealed; null without either. */
    sealed_secret: string | null;
    public_key: string | null;
    /** JSON: string[], the keys of an ssh host. */
    host_keys: string;
    /** Sealed; null until an owner has asked for one. */
    sealed_webhook_secret: string | null;
    webhook_delivered_at: number | null;
    /** JSON: RepositoryProblem of repositories/problem.ts, as the next ones. null: none. */
    webhook_problem: string | null;
    status_problem: string | null;
    preview_problem: string | null;
    /** Why its branches could not be listed. */
    problem: string | null;
    /** Counts the changes after which what is fetched meanwhile is not deployed. */
    revision: number;
    /** When someone, or a webhook, asked for a check that has not begun. */
    asked_at: number | null;
    /** When its host was last asked. */
    checked_at: number | null;
    next_check_at: number;
    /** Checks in a row that failed. */
    failures: number;
    /** Since when new branches become previews; null: those that the next check finds were there before. */
    listed_at: number | null;
    /** When a branch was last fetched: who waits longest comes first. */
    fetched_at: number | null;
    /** The process that asks its host. */
    leased_by: string | null;
    leased_until: number | null;
    created_at: number;
    /** Who connected it: its builds count as theirs. */
    created_by_email: string;
  };

  /** The branches of a repository that are deployed, or may be. */
  repository_branches: {
    repository_id: string;
    name: string;
    /** The newest commit. */
    head: string;
    /** The newest commit that was deployed or given up. */
    tried: string | null;
    /** The deploy of that commit, or of an earlier one. */
    deploy_id: string | null;
    /** JSON: RepositoryProblem, why the newest commit is not deployed. */
    problem: string | null;
    /** Fetches of the newest commit that failed. */
    attempts: number;
    /** When it is fetched; null: there is nothing to fetch. */
    next_attempt_at: number | null;
    /** The process that fetches it. */
    leased_by: string | null;
    leased_until: number | null;
    /** When the newest commit was seen first. */
    changed_at: number;
  };

  /** Webhooks that came, so that none has an effect twice. */
  repository_deliveries: {
    repository_id: string;
    /** SHA-256 of what its signature covers, in hex. */
    digest: string;
    at: number;
  };

  /** What to tell hosts about commits: one row a commit, removed when it was told. */
  commit_statuses: {
    repository_id: string;
    commit_hash: string;
    branch: string;
    state: 'pending' | 'success' | 'failure';
    description: string;
    url: string;
    /** Counts the changes of the row: one that is told while it changes is told again. */
    version: number;
    attempts: number;
    next_attempt_at: number;
    leased_until: number | null;
  };

  /** What readers of a project's sites did, and how often: no row is about one reader. */
  reader_counts: {
    project_id: string;
    /** Hours have the names of no kind: `view` and `agent` alone, which are sums. */
    span: 'hour' | 'day' | 'month';
    /** When it begins, by UTC. */
    start: number;
    /** CountKind of readers/counted.ts. */
    kind: string;
    /** Empty: all names that are not kept by themselves. */
    name: string;
    detail: string;
    count: number;
  };

  /** What readers wrote about pages. */
  reader_sentences: {
    id: Generated<number>;
    project_id: string;
    /** The start of its day, by UTC: nothing says when on it. */
    day: number;
    page: string;
    helpful: number;
    text: string;
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
