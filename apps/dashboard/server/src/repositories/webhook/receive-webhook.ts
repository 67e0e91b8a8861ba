import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ApiError } from '@petstore/http/errors.ts';
import { clientNetwork } from '@petstore/http/networks.ts';
import { limitRate } from '../../accounts/sign-in-limits.ts';
import { notFound, unauthorized } from '../../api-error.ts';
import { explained } from '../../deploys/receive-upload.ts';
import type { Deps } from '../../deps.ts';
import { lockProject } from '../../store/projects.ts';
import { pruneCounters } from '../../store/rate-counters.ts';
import {
  askRepository,
  findRepositoryById,
  type RepositoryRow,
  updateRepository,
} from '../../store/repositories.ts';
import { recordDelivery } from '../../store/repository-deliveries.ts';
import { webhookContext } from '../git-access.ts';
import { problemJson } from '../problem.ts';
import { verificationOf } from './signatures.ts';

/** The most that a host sends: GitHub's limit. */
const MAX_BYTES = 25_000_000;

/** Webhooks of a repository from one network: pushes of a large team, and no flood. */
const RATE = { limit: 120, windowMs: 60_000 };

/** How soon after a check a webhook has the host asked again, in milliseconds: many pushes are one question. */
const PAUSE_MS = 3_000;

/** Events of hosts that say that a branch has changed, or was deleted: in GitHub, Gitea, GitLab and Bitbucket. */
const OF_BRANCHES =
  /^(?:push|create|delete|push hook|system hook|repo:push|repo:refs_changed|repository_update)$/i;

type WebhookDeps = Pick<Deps, 'db' | 'now' | 'repositoriesChanged' | 'sealer'>;

/** What became of a webhook, for the log of the host. */
export interface Received {
  readonly message: string;
}

/**
 * Takes a webhook of a repository's host. It is a reason to ask the repository, and nothing in it is believed; one that
 * came before has no effect. Throws ApiError `not_found` for an address that is none, `unauthorized` for a wrong
 * signature, `payload_too_large` and `rate_limited`.
 */
export async function receiveWebhook(
  deps: WebhookDeps,
  id: string,
  request: { headers: IncomingHttpHeaders; body: IncomingMessage | undefined; ip: string },
): Promise<Received> {
  const { db, now } = deps;
  const repository = await findRepositoryById(db, id);
  if (!repository) throw notFound('webhook');
  await pruneCounters(db, now());
  const key = `repository-webhook:${clientNetwork(request.ip)} ${id}`;
  await limitRate(db, key, RATE, now(), () => 'Too many webhooks came for this repository.');
  const digest = await verify(deps, repository, request);
  if (digest === undefined) {
    await noteDelivery(deps, repository, false);
    throw unauthorized(
      'The signature is missing or wrong. Enter the secret that the settings of the project show for its repository.',
    );
  }
  const event = eventOf(request.headers);
  if (event === 'ping' || event === 'diagnostics:ping') {
    await noteDelivery(deps, repository, true);
    return { message: 'Well received: webhooks of this repository arrive.' };
  }
  if (event !== undefined && !OF_BRANCHES.test(event)) {
    await noteDelivery(deps, repository, true);
    return { message: 'Ignored: only what is pushed matters.' };
  }
  // One transaction: a host sends a webhook again that failed here, and it must not be taken for one that came before.
  const isNew = await db.transaction().execute(async (trx) => {
    await lockProject(trx, repository.project_id);
    if (!(await findRepositoryById(trx, id))) throw notFound('webhook');
    if (!(await recordDelivery(trx, id, digest, now()))) return false;
    await updateRepository(trx, id, wellReceived(now()));
    const dueAt = Math.max(now(), (repository.checked_at ?? 0) + PAUSE_MS);
    await askRepository(trx, id, now(), dueAt);
    return true;
  });
  if (!isNew) return { message: 'Ignored: this webhook came before.' };
  deps.repositoriesChanged();
  return { message: 'The repository is asked for new commits.' };
}

const EVENT_HEADERS = ['x-github-event', 'x-gitea-event', 'x-gitlab-event', 'x-event-key'] as const;

function eventOf(headers: IncomingHttpHeaders): string | undefined {
  for (const name of EVENT_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') return value.toLowerCase();
  }
  return undefined;
}

/** Reads the body; what tells the webhook from others, or undefined where its signature is missing or wrong. */
async function verify(
  { now, sealer }: WebhookDeps,
  repository: RepositoryRow,
  { headers, body }: { headers: IncomingHttpHeaders; body: IncomingMessage | undefined },
): Promise<string | undefined> {
  const { sealed_webhook_secret: sealed } = repository;
  const secret = sealed === null ? undefined : sealer.open(sealed, webhookContext(repository));
  const verification = secret === undefined ? undefined : verificationOf(headers, secret, now());
  if (!verification || !body) {
    body?.resume();
    return undefined;
  }
  if (Number(headers['content-length'] ?? 0) > MAX_BYTES) throw tooLarge();
  let size = 0;
  try {
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      size += (piece as Uint8Array).length;
      if (size > MAX_BYTES) throw tooLarge();
      verification.update(piece as Uint8Array);
    }
  } catch (error) {
    throw explained(error);
  }
  return verification.digest();
}

const tooLarge = () =>
  new ApiError('payload_too_large', `A webhook may have ${MAX_BYTES.toLocaleString('en')} bytes.`);

const wellReceived = (at: number) => ({ webhook_delivered_at: at, webhook_problem: null });

/** Notes for the page of the repository that a webhook came, and whether its signature was good. */
async function noteDelivery(
  { db, now }: WebhookDeps,
  { id, project_id, webhook_problem }: RepositoryRow,
  isGood: boolean,
): Promise<void> {
  // Of many wrong ones the first is noted: they cost whoever sends them more than the database.
  if (!isGood && webhook_problem !== null) return;
  await db.transaction().execute(async (trx) => {
    await lockProject(trx, project_id);
    const row = await findRepositoryById(trx, id);
    if (!row) return;
    const message = 'The last webhook had a wrong signature, and was refused.';
    const problem = { code: 'webhook_bad_signature', message } as const;
    await updateRepository(
      trx,
      id,
      isGood
        ? wellReceived(now())
        : { webhook_problem: problemJson(problem, now(), row.webhook_problem) },
    );
  });
}
