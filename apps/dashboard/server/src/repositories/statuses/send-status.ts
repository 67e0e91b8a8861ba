import { isPublicAddress } from '@petstore/http/networks.ts';
import type { Log } from '@petstore/service/log.ts';
import { type PostResponse, safePost } from '@petstore/webhooks/safe-post.ts';
import type { Deps } from '../../deps.ts';
import {
  type CommitStatusRow,
  endCommitStatus,
  retryCommitStatus,
} from '../../store/commit-statuses.ts';
import { findProjectById } from '../../store/projects.ts';
import {
  findRepositoryById,
  type RepositoryRow,
  updateRepository,
} from '../../store/repositories.ts';
import { openRepository, SecretError } from '../git-access.ts';
import { problemJson } from '../problem.ts';
import { statusRequest } from './status-request.ts';

/** How long a host may take to respond, in milliseconds. */
const TIMEOUT_MS = 15_000;

/** How long a process has a status, in milliseconds: longer than an attempt takes. */
export const STATUS_LEASE_MS = 60_000;

/** The wait before each further attempt, in milliseconds. Then the commit status is not sent. */
const WAITS_MS = [
  10_000, // a lost packet
  60_000, // a restart of the host
  10 * 60_000,
  60 * 60_000, // an outage
];

export interface StatusDeps extends Pick<Deps, 'config' | 'db' | 'now' | 'sealer'> {
  readonly log: Log;
  /** Roots in PEM by which hosts are trusted; undefined: the usual ones. */
  readonly roots: readonly string[] | undefined;
}

/** Sends the leased commit status to the host of its repository, and records whether the host took it. */
export async function sendStatus(
  deps: StatusDeps,
  status: CommitStatusRow,
  stop: AbortSignal,
): Promise<void> {
  const { db, now } = deps;
  const repository = await findRepositoryById(db, status.repository_id);
  const project = repository && (await findProjectById(db, repository.project_id));
  if (!repository || !project) return endCommitStatus(db, status);
  const token = tokenOf(deps, repository);
  const request = token && statusRequest(repository, token, status, `docs/${project.slug}`);
  // It was switched off, or has another access by now.
  if (!request || repository.statuses === 0) return endCommitStatus(db, status);
  const response = await safePost(
    request.url,
    {
      body: JSON.stringify(request.body),
      headers: { accept: 'application/json', ...request.headers },
    },
    optionsOf(deps),
    stop,
  );
  const problem = problemOf(response, request.url.host);
  await setProblem(deps, repository, problem?.message);
  const wait = WAITS_MS[status.attempts];
  if (!problem || problem.isFinal || wait === undefined) return endCommitStatus(db, status);
  const attempts = status.attempts + 1;
  await retryCommitStatus(db, status, { attempts, next_attempt_at: now() + wait });
}

const optionsOf = ({ config, roots }: StatusDeps) => ({
  timeoutMs: TIMEOUT_MS,
  userAgent: 'dashboard',
  dnsServers: config.dnsServers,
  isAllowed: config.git.privateAddresses === 'allow' ? () => true : isPublicAddress,
  ...(roots && { ca: roots }),
});

function tokenOf(deps: StatusDeps, repository: RepositoryRow): string | undefined {
  try {
    const { credentials } = openRepository(deps, repository);
    return credentials?.kind === 'token' ? credentials.token : undefined;
  } catch (error) {
    // The repository cannot be fetched then, which its state says.
    if (error instanceof SecretError) return undefined;
    throw error;
  }
}

interface Refusal {
  readonly message: string;
  /** Another attempt would be refused, too. */
  readonly isFinal: boolean;
}

function problemOf(
  response: PostResponse | { readonly error: string },
  host: string,
): Refusal | undefined {
  if ('error' in response)
    return { message: `${host} could not be told: ${response.error}`, isFinal: false };
  const { status, text } = response;
  if (status >= 200 && status < 300) return undefined;
  // GitLab, of a state that it has already.
  if (status === 400 && /cannot transition status/i.test(text)) return undefined;
  const isFinal = status < 500 && status !== 429 && status !== 408;
  return { message: `${host} refused the commit status with ${status}.`, isFinal };
}

/** Notes what a host says of commit statuses; undefined: it took one. */
async function setProblem(
  { db, now, log }: StatusDeps,
  { id, status_problem: before }: RepositoryRow,
  message: string | undefined,
): Promise<void> {
  if (message === undefined && before === null) return;
  if (message !== undefined && before === null)
    log.warn({ repository: id, message }, 'the commit status could not be sent');
  const status_problem =
    message === undefined ? null : problemJson({ code: 'status_refused', message }, now(), before);
  await db.transaction().execute((trx) => updateRepository(trx, id, { status_problem }));
}
