/** The products whose addresses of commits and files are known. Forgejo has those of Gitea. */
export const REPOSITORY_HOSTS = ['github', 'gitlab', 'gitea', 'bitbucket'] as const;
export type RepositoryHost = (typeof REPOSITORY_HOSTS)[number];

/** A repository as people see it in a browser. */
export interface WebRepository {
  /** `https://git.example.com/ada/pets`: without a slash at its end, and without a name or a secret of anyone. */
  readonly url: string;
  /** undefined: nobody knows how its host names files. */
  readonly host: RepositoryHost | undefined;
}

const MAX_LENGTH = 1_000;

/** Where hosts take SSH on port 443. */
const SSH_ALIASES: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
  'altssh.bitbucket.org': 'bitbucket.org',
};

/**
 * The address in a browser of a repository that git reaches at `remote`: `https://name:secret@host/path.git`,
 * `ssh://git@host:22/path.git`, `git@host:path.git`. undefined where there is none, as for a folder. Names and secrets are left out.
 */
export function webAddress(remote: string): string | undefined {
  const url = parseRemote(remote.trim());
  const path = url?.pathname.replace(/\/+$/, '').replace(/\.git$/, '');
  if (!url || !path) return undefined;
  const scheme = url.protocol === 'http:' ? 'http:' : 'https:';
  // The port of SSH is not that of pages.
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  const host = isWeb ? url.host : (SSH_ALIASES[url.hostname] ?? url.hostname);
  return `${scheme}//${host}${path}`;
}

function parseRemote(remote: string): URL | undefined {
  if (remote.length > MAX_LENGTH) return undefined;
  if (/^(?:https?|ssh|git):\/\//i.test(remote))
    return URL.parse(remote.replace(/^(?:ssh|git):/i, 'ssh:')) ?? undefined;
  // git-clone(1), "GIT URLS". A name without a dot is an alias of someone's ssh_config(5).
  const [, host, path = ''] =
    /^(?:[^@:/\s]+@)?([a-z0-9-]+(?:\.[a-z0-9-]+)+):(?!\/\/)(.+)$/i.exec(remote) ?? [];
  return host ? (URL.parse(`ssh://${host}/${path.replace(/^\/+/, '')}`) ?? undefined) : undefined;
}

/** The product of a repository's host, by its name; undefined where the name does not tell. */
export function hostOf(url: string): RepositoryHost | undefined {
  const { hostname } = new URL(url);
  if (hostname === 'codeberg.org') return 'gitea';
  // Bitbucket Data Center has other addresses than Bitbucket Cloud.
  if (hostname === 'bitbucket.org') return 'bitbucket';
  const [, name] = /(?:^|[.-])(github|gitlab|gitea|forgejo)(?=[.-]|$)/.exec(hostname) ?? [];
  return name === 'forgejo' ? 'gitea' : (name as RepositoryHost | undefined);
}

/** Whether a text can be a branch in an address: a part of dots would lead out of the repository (WHATWG URL, 4.4). */
export const isBranchInAddress = (text: string): boolean =>
  !text.split('/').some((part) => ['', '.', '..'].includes(part));
