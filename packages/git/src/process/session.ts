import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { Destination } from '../gateway/destination.ts';
import { type Gateway, openHttpsProxy } from '../gateway/https-proxy.ts';
import { openSshRelay } from '../gateway/ssh-relay.ts';
import { GitError } from '../git-error.ts';
import type { GitSettings, Repository } from '../repository.ts';
import { parseRepositoryUrl, type RepositoryUrl } from '../repository-url.ts';
import { gitEnvironment } from './environment.ts';
import { checkGit } from './git-version.ts';
import { type HttpTrace, httpTrace, redirectedTo } from './http-trace.ts';
import { type RunOptions, type RunResult, run } from './run.ts';
import { readHostKeys, writeSshFiles } from './ssh-files.ts';
import { whyFailed } from './why-failed.ts';
import { makeWorkspace, type Workspace } from './workspace.ts';

export interface SessionLimits {
  /** What the host may send, in bytes. */
  readonly maxBytes: number;
  /** For all of it. */
  readonly seconds: number;
}

/** One visit to a repository. Its folder, with what is secret, is removed at its end. */
export interface Session {
  readonly folder: string;
  /** What git is given as the repository: without a secret. */
  readonly url: string;
  /** Ends what takes too long, or was given up. */
  readonly signal: AbortSignal;
  /** Runs git. Rejects with GitError where it fails, unless `output` had enough. */
  git(args: readonly string[], io?: Pick<RunOptions, 'input' | 'output'>): Promise<RunResult>;
  /** The keys of the host that were seen so far. */
  hostKeys(): Promise<readonly string[]>;
  /** Whether the host speaks git, now that it told of no branch: git takes any page for a list of none. */
  speaksGit(): Promise<boolean>;
}

/**
 * Does some work with a repository. Rejects with what the work rejects with, with GitError where the host or the limits
 * are the reason, or with the reason of the signal. No process and no file of the session is left then.
 */
export async function withSession<T>(
  repository: Repository,
  settings: GitSettings,
  limits: SessionLimits,
  signal: AbortSignal,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const address = parseRepositoryUrl(repository.url);
  const workspace = await makeWorkspace(settings.directory);
  const broken = new AbortController();
  const deadline = AbortSignal.timeout(limits.seconds * 1_000);
  const destination = new Destination({
    repository: address,
    settings,
    maxBytes: limits.maxBytes,
    onFailure: (error) => broken.abort(error),
  });
  const trace = httpTrace(workspace.folder);
  let gateway: Gateway | undefined;
  try {
    gateway =
      address.protocol === 'https'
        ? await openHttpsProxy(address, destination)
        : await openSshRelay(destination);
    const session = await sessionOf(
      { repository, address, settings, limits, workspace, gateway, trace },
      AbortSignal.any([signal, deadline, broken.signal]),
    );
    return await work(session);
  } catch (error) {
    signal.throwIfAborted();
    let reason = broken.signal.aborted ? broken.signal.reason : error;
    if (deadline.aborted) reason = tooSlow(limits.seconds);
    if (!(reason instanceof GitError)) throw reason;
    if (reason.code === 'redirected') throw redirectedTo(address, await trace.redirect());
    throw await withHostKeys(reason, workspace);
  } finally {
    gateway?.close();
    destination.close();
    await workspace.remove();
  }
}

/** What git and ssh take for themselves, in bytes, with all that they load. */
const MEMORY_BYTES = 400_000_000;

/** Objects that git has in memory at once: one that is a change of another, that one, and a copy. */
const MEMORY_OBJECTS = 3;

interface Parts {
  readonly repository: Repository;
  readonly address: RepositoryUrl;
  readonly settings: GitSettings;
  readonly limits: SessionLimits;
  readonly workspace: Workspace;
  readonly gateway: Gateway;
  readonly trace: HttpTrace;
}

async function sessionOf(parts: Parts, signal: AbortSignal): Promise<Session> {
  const { repository, address, settings, limits, workspace, gateway, trace } = parts;
  const { folder } = workspace;
  const { credentials } = repository;
  const secrets = [gateway.address];
  const config: Record<string, string> = {};
  const more: Record<string, string> = { ...trace.env };
  if (address.protocol === 'https') {
    config['http.proxy'] = gateway.address;
    if (settings.caFile !== null)
      config['http.sslCAInfo'] = await workspace.write(
        'authorities.pem',
        await authorities(settings.caFile),
      );
    if (credentials?.kind === 'token') {
      const header = basic(address, credentials);
      secrets.push(credentials.token, header);
      config[`http.${new URL(address.url).origin}/.extraHeader`] = `Authorization: Basic ${header}`;
    }
  } else {
    more.GIT_SSH_COMMAND = await writeSshFiles(workspace, repository, gateway.address);
    more.GIT_SSH_VARIANT = 'ssh';
  }
  const env = gitEnvironment(folder, address.protocol, config, more);
  await checkGit(settings.git, { env, cwd: folder, signal });
  return {
    folder,
    url: address.url.replace(/^(ssh:\/\/[^/]+?):\d+\//, '$1/'),
    signal,
    async git(args, io = {}) {
      const { maxBytes, seconds } = limits;
      const maxMemoryBytes = MEMORY_BYTES + MEMORY_OBJECTS * maxBytes;
      const bounds = { env, cwd: folder, maxFileBytes: maxBytes, maxMemoryBytes, seconds, signal };
      const result = await run(settings.git, args, { ...bounds, ...io });
      const stderr = clean(result.stderr, secrets);
      if (!result.isDone) throw whyFailed(stderr, { address, credentials });
      return { ...result, stderr };
    },
    hostKeys: async () => (address.protocol === 'ssh' ? readHostKeys(workspace) : []),
    speaksGit: async () => address.protocol === 'ssh' || trace.hasGitResponse(),
  };
}

/**
 * What hosts take as the user beside a token. GitHub, GitLab and Gitea take any; Bitbucket wants to know that it is a
 * token.
 */
function basic(
  { host }: RepositoryUrl,
  { username, token }: { readonly username: string | null; readonly token: string },
): string {
  const user = username ?? (host === 'bitbucket.org' ? 'x-token-auth' : 'x-access-token');
  return Buffer.from(`${user}:${token}`).toString('base64');
}

/** git trusts those of one file alone. */
async function authorities(caFile: string): Promise<string> {
  const own = await readFile(caFile, 'utf8').catch((error: Error) => {
    throw new GitError(
      'certificate',
      'The file with the authorities to trust cannot be read. Whoever runs the dashboard finds the reason in its log.',
      { detail: error.message },
    );
  });
  return [...getCACertificates('bundled'), ...getCACertificates('system'), own].join('\n');
}

/** Without secrets, and without what a terminal would obey: a host may say anything. */
function clean(text: string, secrets: readonly string[]): string {
  const open = secrets
    .filter((secret) => secret !== '')
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  return open.replace(/[^\P{Cc}\n\t]/gu, '').trim();
}

function tooSlow(seconds: number): GitError {
  return new GitError(
    'too_slow',
    `The repository was not there within ${seconds} seconds. Its host is slow, or the repository is large; it is tried again.`,
  );
}

/** An ssh host that was reached has shown its key, although the call failed. */
async function withHostKeys(error: GitError, workspace: Workspace): Promise<GitError> {
  const hostKeys = await readHostKeys(workspace);
  if (hostKeys.length === 0) return error;
  const { code, message, detail } = error;
  return new GitError(code, message, { detail, hostKeys });
}
