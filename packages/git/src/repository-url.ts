import { isIPv6 } from 'node:net';
import { GitError } from './git-error.ts';

/** An address of a repository, in its canonical spelling. */
export interface RepositoryUrl {
  /** `https://host[:port]/path` or `ssh://user@host[:port]/path` */
  readonly url: string;
  readonly protocol: 'https' | 'ssh';
  /** Of ssh; of https null. */
  readonly user: string | null;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  /** Without the slash at its beginning: `ada/pets.git`. */
  readonly path: string;
}

const MAX_LENGTH = 1_000;

const EXAMPLES = 'such as https://github.com/ada/pets.git or git@github.com:ada/pets.git';

/** `git@host:path`, as git's manual has it: a colon before the first slash. */
const SCP = /^(?:([^@/:]+)@)?(\[[^\]/]+\]|[^:/@[\]]+):(?!\/\/|:)(.+)$/;

const SSH = /^ssh:\/\/(?:([^@/]*)@)?(\[[^\]/]+\]|[^:/@[\]]*)(?::(\d*))?\/(.*)$/i;

/** Pages of a repository that people copy from their browser, by host and path. `-` is no name of a project in GitLab. */
const PAGES: readonly RegExp[] = [
  /^github\.com\/([^/]+\/[^/]+)\/(?:tree|blob)\/./,
  /^bitbucket\.org\/([^/]+\/[^/]+)\/src\/./,
  /^[^/]+\/(.+?)\/-\/(?:tree|blob)\/./,
  /^[^/]+\/([^/]+\/[^/]+)\/src\/(?:branch|commit|tag)\/./,
];

/**
 * Reads what people type or copy: `https://…`, `ssh://…` and `git@host:path`. Throws GitError `bad_url`, whose message is
 * a sentence about `url`.
 */
export function parseRepositoryUrl(text: string): RepositoryUrl {
  const typed = text.trim();
  if (typed === '') throw refused(`url must be the address of a repository, ${EXAMPLES}.`);
  if (typed.length > MAX_LENGTH) {
    throw refused(`url must be at most ${MAX_LENGTH} characters long.`);
  }
  if (/[\p{Cc}\s]/u.test(typed))
    throw refused('url must have no spaces and no control characters in it.');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(typed)?.[1]?.toLowerCase();
  if (scheme === 'https') return readHttps(typed);
  if (scheme === 'ssh') return readSsh(typed);
  if (scheme === 'http') {
    throw refused(
      'url must begin with https:// or ssh://: over http anyone on the way could change the files.',
    );
  }
  const scp = scheme === undefined ? SCP.exec(typed) : null;
  if (scp) return readScp(scp);
  if (scheme === undefined && /^[\w-]+(\.[\w-]+)+\/./.test(typed))
    throw refused(`url must begin with https://: write https://${typed}.`);
  throw refused(`url must be an https or ssh address of a repository, ${EXAMPLES}.`);
}

function readHttps(typed: string): RepositoryUrl {
  if (!URL.canParse(typed)) throw refused(`url is not the address of a repository, ${EXAMPLES}.`);
  const url = new URL(typed);
  if (url.username !== '' || url.password !== '') {
    throw refused(
      'url must have no user, password or token in it, which would be shown. Enter the token by itself.',
    );
  }
  if (url.search !== '' || url.hash !== '')
    throw refused(`url must have no ${url.search ? '?' : '#'} in it, ${EXAMPLES}.`);
  const path = pathOf(url.pathname.slice(1));
  for (const page of PAGES) {
    const [, repository] = page.exec(`${url.host}/${path}`) ?? [];
    if (repository !== undefined)
      throw refused(`url is that of a page of a repository: write ${url.origin}/${repository}.`);
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? 443 : Number(url.port);
  return { url: `${url.origin}/${path}`, protocol: 'https', user: null, host, port, path };
}

/** Git reads escapes (`%20`) in a URL, and none in this form. Its path may lack the slash at the beginning. */
function readScp([, user, host = '', path = '']: readonly string[]): RepositoryUrl {
  return ssh(user, host, '', path.replace(/^\/+/, '').replaceAll('%', '%25'));
}

function readSsh(typed: string): RepositoryUrl {
  const [match, user, host = '', port = '', path = ''] = SSH.exec(typed) ?? [];
  if (match === undefined) throw refused(`url is not an ssh address of a repository, ${EXAMPLES}.`);
  if (user?.includes(':'))
    throw refused('url must have no password in it: ssh takes the deploy key.');
  return ssh(user, host, port, path);
}

function ssh(user = 'git', typedHost: string, typedPort: string, path: string): RepositoryUrl {
  // The user and the host become arguments of a command: a dash at the beginning would make them options.
  if (!/^[\w.][\w.+-]*$/.test(user)) {
    throw refused(`url has the user ${user}, which is not a valid user name.`);
  }
  const host = canonicalHost(typedHost);
  const port = typedPort === '' ? 22 : Number(typedPort);
  if (port < 1 || port > 65_535)
    throw refused(`url has the port ${typedPort}; a port is from 1 to 65535.`);
  const place = `${isIPv6(host) ? `[${host}]` : host}${port === 22 ? '' : `:${port}`}`;
  const repository = pathOf(path);
  return {
    url: `ssh://${user}@${place}/${repository}`,
    protocol: 'ssh',
    user,
    host,
    port,
    path: repository,
  };
}

/** As browsers read a host: in lower case, other alphabets as `xn--…`, numbers as an address. */
function canonicalHost(typed: string): string {
  const address = `https://${typed}/`;
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (!isIPv6(bare) && !/^[a-z0-9]([a-z0-9._-]*[a-z0-9.])?$/.test(bare))
    throw refused(`url has the host ${typed}, which is no name of a host.`);
  return bare;
}

/** Without slashes at its end, which git hosts read as another repository or not at all. */
function pathOf(path: string): string {
  const repository = path.replace(/\/+$/, '');
  if (repository === '') throw refused(`url must have the path of a repository, ${EXAMPLES}.`);
  if (repository.startsWith('-') || repository.split('/').some((name) => /^\.\.?$/.test(name)))
    throw refused('url has a path that begins with a dash, or has . or .. as a part.');
  if (hidesParts(repository))
    throw refused('url has a path with a % that stands for a slash, for a dot or for no letter.');
  return repository;
}

/**
 * Whether escapes of a path hide what is looked for in it. A host's API is asked with the path decoded, and would be led
 * out of its repository by `a%2F..%2Fb`.
 */
function hidesParts(path: string): boolean {
  try {
    return path
      .split('/')
      .map(decodeURIComponent)
      .some((name) => /[/\\\p{Cc}]|^\.\.?$/u.test(name));
  } catch {
    return true;
  }
}

const refused = (message: string): GitError => new GitError('bad_url', message);
