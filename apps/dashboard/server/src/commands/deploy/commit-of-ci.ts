import { readFile } from 'node:fs/promises';
import type { CommitQuery } from '../../deploys/commit/read-commit.ts';

/** What the variables of a CI's job say of its commit. */
export interface CiCommit {
  readonly query: CommitQuery;
  /** What is checked out: of a pull request it may be a merge of the commit. */
  readonly checkedOut: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The commit of the job that this process is a part of; undefined where no CI is known by its variables. */
export async function commitOfCi(env: Environment): Promise<CiCommit | undefined> {
  const { GITHUB_SHA, GITLAB_CI, CI_COMMIT_SHA, BITBUCKET_COMMIT } = env;
  if (GITHUB_SHA) return commitOfGithub(env, GITHUB_SHA);
  if (GITLAB_CI && CI_COMMIT_SHA) return commitOfGitlab(env, CI_COMMIT_SHA);
  return BITBUCKET_COMMIT ? commitOfBitbucket(env, BITBUCKET_COMMIT) : undefined;
}

interface GithubRepository {
  readonly html_url?: string;
  readonly private?: boolean;
}

/** The parts of GitHub's events that are read. Gitea and Forgejo have the same variables and events. */
interface GithubEvent {
  readonly pull_request?: {
    readonly head?: {
      readonly sha?: string;
      readonly ref?: string;
      readonly repo?: GithubRepository;
    };
  };
  readonly repository?: GithubRepository;
  readonly head_commit?: {
    readonly id?: string;
    readonly message?: string;
    readonly author?: { readonly name?: string };
  };
}

async function commitOfGithub(env: Environment, checkedOut: string): Promise<CiCommit> {
  const { GITHUB_EVENT_PATH, GITHUB_REF, GITHUB_REF_NAME } = env;
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITEA_ACTIONS, FORGEJO_ACTIONS } = env;
  const event = await readEvent(GITHUB_EVENT_PATH);
  const { pull_request: pull, head_commit: pushed } = event;
  const repository = pull?.head?.repo ?? event.repository;
  const hash = pull?.head?.sha ?? checkedOut;
  const isBranch = GITHUB_REF?.startsWith('refs/heads/');
  const isPushed = pushed?.id === hash;
  return {
    checkedOut: [checkedOut, hash],
    query: queryOf({
      commit: hash,
      'commit-author': isPushed ? pushed.author?.name : undefined,
      'commit-message': isPushed ? pushed.message : undefined,
      'commit-branch': pull?.head?.ref ?? (isBranch ? GITHUB_REF_NAME : undefined),
      repository: repository?.html_url ?? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`,
      'repository-public': repository?.private === false ? 'true' : undefined,
      'repository-host': GITEA_ACTIONS || FORGEJO_ACTIONS ? 'gitea' : 'github',
    }),
  };
}

async function readEvent(path: string | undefined): Promise<GithubEvent> {
  if (!path) return {};
  try {
    return JSON.parse(await readFile(path, 'utf8')) as GithubEvent;
  } catch {
    return {};
  }
}

function commitOfGitlab(env: Environment, checkedOut: string): CiCommit {
  const { CI_COMMIT_AUTHOR, CI_COMMIT_TITLE, CI_COMMIT_BRANCH, CI_PROJECT_URL } = env;
  const { CI_MERGE_REQUEST_SOURCE_BRANCH_NAME, CI_MERGE_REQUEST_SOURCE_PROJECT_URL } = env;
  const { CI_PROJECT_VISIBILITY } = env;
  // Set where a merge of the commit is checked out.
  const { CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: source } = env;
  const hash = source || checkedOut;
  const isChecked = hash === checkedOut;
  return {
    checkedOut: [checkedOut, hash],
    query: queryOf({
      commit: hash,
      'commit-author': isChecked ? CI_COMMIT_AUTHOR : undefined,
      'commit-message': isChecked ? CI_COMMIT_TITLE : undefined,
      'commit-branch': CI_MERGE_REQUEST_SOURCE_BRANCH_NAME || CI_COMMIT_BRANCH,
      repository: CI_MERGE_REQUEST_SOURCE_PROJECT_URL || CI_PROJECT_URL,
      'repository-public': CI_PROJECT_VISIBILITY === 'public' ? 'true' : undefined,
      'repository-host': 'gitlab',
    }),
  };
}

function commitOfBitbucket(env: Environment, hash: string): CiCommit {
  const { BITBUCKET_BRANCH, BITBUCKET_GIT_HTTP_ORIGIN } = env;
  return {
    checkedOut: [hash],
    query: queryOf({
      commit: hash,
      'commit-branch': BITBUCKET_BRANCH,
      // The variable has the scheme http.
      repository: BITBUCKET_GIT_HTTP_ORIGIN?.replace(/^http:/, 'https:'),
      'repository-host': 'bitbucket',
    }),
  };
}

/** Without what is not known. */
function queryOf(
  said: { [Name in keyof CommitQuery]: CommitQuery[Name] | undefined },
): CommitQuery {
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value)) as CommitQuery;
}
