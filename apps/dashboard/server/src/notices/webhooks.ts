import { ReceiverUrlError, readReceiverUrl } from '@petstore/webhooks/receiver-url.ts';
import { makeWebhookSecret } from '@petstore/webhooks/signature.ts';
import type { Caller } from '../accounts/caller.ts';
import { randomId } from '../accounts/secrets.ts';
import { limitRate } from '../accounts/sign-in-limits.ts';
import { conflict, invalidRequest, notFound } from '../api-error.ts';
import type { Config } from '../config.ts';
import type { Deps } from '../deps.ts';
import { lockProjectFor } from '../projects/lock-project.ts';
import { instant, instantOrNull } from '../schema-types.ts';
import { writeAudit } from '../store/audit.ts';
import { insertEndedNotice } from '../store/notices.ts';
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
import { hostOf, type LastDelivery, sealingContext } from './deliver-webhook.ts';
import { EVENT_TYPES, type EventType, eventsOf } from './event-types.ts';
import { newMessageId } from './queue-notice.ts';
import { recordRequested, sendNow } from './send-now.ts';
import type { CreatedWebhook, Webhook, WebhookChange } from './webhook.ts';

const MAX_WEBHOOKS = 5;

/** How often a webhook may be tested: nobody can flood a receiver with tests. */
const TESTS = { limit: 1, windowMs: 5_000 };

type WebhookDeps = Pick<Deps, 'config' | 'db' | 'now' | 'sealer'>;

/** Adds a webhook to a project, and shows its secret this once. */
export async function addWebhook(
  { config, db, now, sealer }: WebhookDeps,
  project: ProjectRow,
  input: { url: string; events?: readonly EventType[] },
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
    events: JSON.stringify(input.events ?? EVENT_TYPES),
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

/** Changes what a webhook is sent from now on. Throws ApiError `not_found` where there is none. */
export async function changeWebhook(
  { db, now }: Pick<WebhookDeps, 'db' | 'now'>,
  project: ProjectRow,
  id: string,
  { events }: WebhookChange,
  caller: Caller,
): Promise<Webhook> {
  return db.transaction().execute(async (trx) => {
    // Locked, so that no notice is queued for it meanwhile.
    await lockProjectFor(trx, caller, project.id, 'webhook.manage');
    const webhook = await findWebhook(trx, project.id, id);
    if (!webhook) throw notFound('webhook');
    const changed: WebhookRow = { ...webhook, events: JSON.stringify(events) };
    await updateWebhook(trx, id, { events: changed.events });
    const before = eventsOf(webhook);
    const after = eventsOf(changed);
    const difference = (some: readonly EventType[], others: readonly EventType[]) =>
      some.filter((type) => !others.includes(type)).join(', ') || null;
    const [added, removed] = [difference(after, before), difference(before, after)];
    if (added !== null || removed !== null) {
      await writeAudit(trx, now(), caller.actor, {
        action: 'webhook.update',
        projectId: project.id,
        target: hostOf(webhook),
        details: { id, added, removed },
      });
    }
    return presentWebhook(changed);
  });
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
  const type = 'webhook.test';
  const body = JSON.stringify({
    type,
    timestamp: new Date(now()).toISOString(),
    data: { project: project.slug, message: 'This is a test of the webhook.' },
  });
  const message = { id: newMessageId(), body };
  const attempt = await sendNow(deps, webhook, message, stop);
  return db.transaction().execute(async (trx) => {
    const current = await lockWebhook(trx, id);
    if (!current) throw notFound('webhook');
    const { error } = attempt.outcome;
    await insertEndedNotice(
      trx,
      {
        ...{ id: message.id, type, payload: body, created_at: attempt.at },
        ...{ project_id: project.id, webhook_id: id, email: null },
      },
      { delivered_at: error === null ? now() : null, last_error: error },
    );
    await recordRequested(trx, current, message.id, attempt, now(), actor);
    return presentWebhook((await lockWebhook(trx, id)) ?? current);
  });
}

export function presentWebhook(row: WebhookRow): Webhook {
  const last = row.last_delivery === null ? null : (JSON.parse(row.last_delivery) as LastDelivery);
  return {
    id: row.id,
    url: row.url,
    events: eventsOf(row),
    createdAt: instant(row.created_at),
    createdBy: row.created_by_email,
    disabledAt: instantOrNull(row.disabled_at),
    lastDelivery: last && { ...last, at: instant(last.at) },
  };
}

/** Throws ApiError `invalid_request` where the URL cannot be a receiver's. */
function readWebhookUrl(
  text: string,
  { webhookPrivateAddresses }: Pick<Config, 'webhookPrivateAddresses'>,
): string {
  try {
    return readReceiverUrl(text, {
      allowsPrivate: webhookPrivateAddresses === 'allow',
      setting: 'DASHBOARD_WEBHOOK_PRIVATE_ADDRESSES',
    });
  } catch (error) {
    throw error instanceof ReceiverUrlError ? invalidRequest(error.message) : error;
  }
}
