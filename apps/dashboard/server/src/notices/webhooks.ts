import { ApiError } from '@petstore/http/errors.ts';
import { isPrivateHost } from '@petstore/http/reachable-addresses.ts';
import type { Caller } from '../accounts/caller.ts';
import { randomId } from '../accounts/secrets.ts';
import { limitRate } from '../accounts/sign-in-limits.ts';
import { conflict, invalidRequest, notFound } from '../api-error.ts';
import type { Config } from '../config.ts';
import type { Deps } from '../deps.ts';
import { lockProjectFor } from '../projects/lock-project.ts';
import { instant, instantOrNull } from '../schema-types.ts';
import { writeAudit } from '../store/audit.ts';
import type { ProjectRow } from '../store/projects.ts';
import { pruneCounters } from '../store/rate-counters.ts';
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  updateWebhook,
  type WebhookRow,
} from '../store/webhooks.ts';
import {
  disableWebhook,
  hostOf,
  type LastDelivery,
  RESPONSE_TIMEOUT_MS,
  recordDelivery,
  sealingContext,
  sendToWebhook,
} from './deliver-webhook.ts';
import { newMessageId } from './queue-notice.ts';
import { makeWebhookSecret } from './signature.ts';
import type { CreatedWebhook, Webhook } from './webhook.ts';

const MAX_WEBHOOKS = 5;

/** How often a webhook may be tested: nobody can flood a receiver with tests. */
const TESTS = { limit: 1, windowMs: 5_000 };

type WebhookDeps = Pick<Deps, 'config' | 'db' | 'now' | 'sealer'>;

/** Adds a webhook to a project, and shows its secret this once. */
export async function addWebhook(
  { config, db, now, sealer }: WebhookDeps,
  project: ProjectRow,
  input: { url: string },
  caller: Caller,
): Promise<CreatedWebhook> {
  const { user, actor } = caller;
  const url = readWebhookUrl(input.url, config);
  const secret = makeWebhookSecret();
  const at = now();
  const id = `whk_${randomId(16)}`;
  const webhook: WebhookRow = {
    id,
    project_id: project.id,
    url,
    sealed_secret: sealer.seal(secret, sealingContext({ id })),
    created_at: at,
    created_by_email: user.email,
    disabled_at: null,
    last_delivery: null,
  };
  await db.transaction().execute(async (trx) => {
    await lockProjectFor(trx, caller, project.id, 'webhook.manage');
    const { length } = await listWebhooks(trx, project.id);
    if (length >= MAX_WEBHOOKS) {
      throw conflict(`A project has ${MAX_WEBHOOKS} webhooks at most. Remove one first.`);
    }
    await insertWebhook(trx, webhook);
    await writeAudit(trx, at, actor, {
      action: 'webhook.create',
      projectId: project.id,
      target: hostOf(webhook),
      details: { id },
    });
  });
  return { ...presentWebhook(webhook), secret };
}

/** Removes a webhook and the notices that wait for it. Throws ApiError `not_found` where there is none. */
export async function removeWebhook(
  { db, now }: Pick<WebhookDeps, 'db' | 'now'>,
  project: ProjectRow,
  id: string,
  caller: Caller,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Locked, so that no notice is queued for it meanwhile.
    await lockProjectFor(trx, caller, project.id, 'webhook.manage');
    const webhook = await deleteWebhook(trx, project.id, id);
    if (!webhook) throw notFound('webhook');
    await writeAudit(trx, now(), caller.actor, {
      action: 'webhook.delete',
      projectId: project.id,
      target: hostOf(webhook),
      details: { id },
    });
  });
}

/**
 * Sends a `webhook.test` now. Returns the webhook with the outcome. A webhook that was switched off is switched on when
 * it accepts a test. Throws ApiError `rate_limited` for the next test within five seconds, and `not_found`. Rejects
 * when `stop` comes before the response.
 */
export async function testWebhook(
  deps: WebhookDeps,
  project: ProjectRow,
  id: string,
  { actor }: Caller,
  stop: AbortSignal,
): Promise<Webhook> {
  const { db, now } = deps;
  const webhook = await findWebhook(db, project.id, id);
  if (!webhook) throw notFound('webhook');
  await pruneCounters(db, now());
  const justNow = () => 'A test was sent to this webhook just now. Wait a moment.';
  await limitRate(db, `webhook-test:${id}`, TESTS, now(), justNow);
  const body = JSON.stringify({
    type: 'webhook.test',
    timestamp: new Date(now()).toISOString(),
    data: { project: project.slug, message: 'This is a test of the webhook.' },
  });
  const message = { id: newMessageId(), body };
  const sending = { ...deps, timeoutMs: RESPONSE_TIMEOUT_MS };
  const outcome = await sendToWebhook(sending, webhook, message, stop).catch((error) => {
    throw stop.aborted ? new ApiError('unavailable', 'The service is stopping. Try again.') : error;
  });
  const at = now();
  return db.transaction().execute(async (trx) => {
    const current = await lockWebhook(trx, id);
    if (!current) throw notFound('webhook');
    await recordDelivery(trx, current, at, outcome);
    if (outcome.isFinal) await disableWebhook(trx, current, at, outcome.error ?? '');
    if (outcome.error === null && current.disabled_at !== null) {
      await updateWebhook(trx, id, { disabled_at: null });
      await writeAudit(trx, at, actor, {
        action: 'webhook.enable',
        projectId: project.id,
        target: hostOf(current),
        details: { id },
      });
    }
    return presentWebhook((await lockWebhook(trx, id)) ?? current);
  });
}

export function presentWebhook(row: WebhookRow): Webhook {
  const last = row.last_delivery === null ? null : (JSON.parse(row.last_delivery) as LastDelivery);
  return {
    id: row.id,
    url: row.url,
    createdAt: instant(row.created_at),
    createdBy: row.created_by_email,
    disabledAt: instantOrNull(row.disabled_at),
    lastDelivery: last && { ...last, at: instant(last.at) },
  };
}

/** Private addresses are useful on a closed network, and on a developer's machine. */
const HINT = '(Whoever runs this may allow others: DASHBOARD_WEBHOOK_PRIVATE_ADDRESSES.)';

/**
 * The URL of a receiver in its canonical spelling. Throws ApiError `invalid_request` where it cannot be one. A name
 * that leads to a private address is refused only when a notice is sent: by then it may lead elsewhere.
 */
function readWebhookUrl(
  text: string,
  { webhookPrivateAddresses }: Pick<Config, 'webhookPrivateAddresses'>,
): string {
  const areAllowed = webhookPrivateAddresses === 'allow';
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && areAllowed))) {
    throw invalidRequest(
      areAllowed
        ? 'url must be an http or https address, such as https://example.com/hooks.'
        : `url must be an https address, such as https://example.com/hooks.${url?.protocol === 'http:' ? ` ${HINT}` : ''}`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidRequest(
      'url must not have a user or password: receivers verify the signature instead.',
    );
  }
  if (!areAllowed && isPrivateHost(url.hostname)) {
    throw invalidRequest(
      `url must be reachable from the internet, which ${url.hostname} is not. ${HINT}`,
    );
  }
  url.hash = '';
  return url.href;
}
