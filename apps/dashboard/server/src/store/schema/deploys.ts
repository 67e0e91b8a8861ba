import type { Generated } from 'kysely';

type DeployState = 'queued' | 'building' | 'succeeded' | 'failed';

export type SourceKind = 'document' | 'tar.gz' | 'zip';

export interface DeployTables {
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
}
