export interface RepositoryTables {
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
}
