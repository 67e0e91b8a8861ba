import type { CommitStatusRow } from '../../store/commit-statuses.ts';
import type { RepositoryRow } from '../../store/repositories.ts';

/** A request to the API of a host. */
export interface StatusRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

type Repository = Pick<RepositoryRow, 'url' | 'provider' | 'username'>;
type Status = Pick<CommitStatusRow, 'commit_hash' | 'branch' | 'state' | 'description' | 'url'>;

/** The most letters that hosts take: GitHub of a description, Bitbucket of a key. */
const MAX_DESCRIPTION = 140;
const MAX_KEY = 40;

/**
 * Tells a host what became of a commit, by the interface of its software. `context`: what the state is about, such as
 * `docs/pets`. undefined for a host that is not known.
 */
export function statusRequest(
  repository: Repository,
  token: string,
  status: Status,
  context: string,
): StatusRequest | undefined {
  const { protocol, host, pathname } = new URL(repository.url);
  if (protocol !== 'https:') return undefined;
  if (!takesStatuses(repository)) return undefined;
  const make = REQUESTS[repository.provider];
  const path = decodeURIComponent(pathname)
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '');
  const description = shortened(status.description, MAX_DESCRIPTION);
  return make?.({ ...repository, host, path, token, context, status: { ...status, description } });
}

/**
 * Whether it is known how a host takes commit statuses. Of Bitbucket that is the one at bitbucket.org: with another
 * host's name `api.` in front would be anybody's, and would get the token.
 */
export const takesStatuses = ({ provider, url }: Pick<Repository, 'provider' | 'url'>): boolean =>
  provider !== 'other' && (provider !== 'bitbucket' || new URL(url).host === 'bitbucket.org');

interface Asked extends Repository {
  readonly host: string;
  /** `ada/pets` */
  readonly path: string;
  readonly token: string;
  readonly context: string;
  readonly status: Status;
}

const REQUESTS: Record<string, ((asked: Asked) => StatusRequest) | undefined> = {
  // POST /repos/{owner}/{repo}/statuses/{sha}
  github: ({ host, path, token, context, status }) => ({
    url: new URL(`${githubApi(host)}/repos/${segments(path)}/statuses/${status.commit_hash}`),
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    },
    body: {
      ...{ state: status.state, context },
      ...{ target_url: status.url, description: status.description },
    },
  }),
  // POST /projects/:id/statuses/:sha
  gitlab: ({ host, path, token, context, status }) => ({
    url: new URL(
      `https://${host}/api/v4/projects/${encodeURIComponent(path)}/statuses/${status.commit_hash}`,
    ),
    headers: { 'private-token': token },
    body: {
      ...{ state: status.state === 'failure' ? 'failed' : status.state, name: context },
      ...{ ref: status.branch, target_url: status.url, description: status.description },
    },
  }),
  // POST /repos/{owner}/{repo}/statuses/{sha}
  gitea: ({ host, path, token, context, status }) => ({
    url: new URL(`https://${host}/api/v1/repos/${segments(path)}/statuses/${status.commit_hash}`),
    headers: { authorization: `token ${token}` },
    body: {
      ...{ state: status.state, context },
      ...{ target_url: status.url, description: status.description },
    },
  }),
  // POST /2.0/repositories/{workspace}/{repo_slug}/commit/{commit}/statuses/build
  bitbucket: ({ host, path, token, username, context, status }) => ({
    url: new URL(
      `https://api.${host}/2.0/repositories/${segments(path)}/commit/${status.commit_hash}/statuses/build`,
    ),
    headers: { authorization: bitbucketAuthorization(username, token) },
    body: {
      state: { pending: 'INPROGRESS', success: 'SUCCESSFUL', failure: 'FAILED' }[status.state],
      ...{ key: shortened(context, MAX_KEY), name: context },
      ...{ url: status.url, description: status.description },
    },
  }),
};

/** GitHub itself and its tenants have a host for their API, GitHub Enterprise Server has a path. */
function githubApi(host: string): string {
  const isHosted = host === 'github.com' || host.endsWith('.ghe.com');
  return isHosted ? `https://api.${host}` : `https://${host}/api/v3`;
}

/** Access tokens of a repository have a user for Git alone. */
function bitbucketAuthorization(username: string | null, token: string): string {
  if (username === null || username === 'x-token-auth') return `Bearer ${token}`;
  return `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
}

const segments = (path: string) => path.split('/').map(encodeURIComponent).join('/');

function shortened(text: string, most: number): string {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join('')}…`;
}
