import type { Attempt, RecentDelivery, StoredDelivery, StoredWebhook } from './webhook.ts';

// Webhooks and deliveries as their owners see them.

/** Without the secret. */
export function presentWebhook(webhook: StoredWebhook) {
  const { id, url, events, disabledAt, disabledReason, failingSince, failures } = webhook;
  const isFailing = failures > 0 && webhook.nextAt !== null;
  const state = disabledAt !== null ? 'disabled' : isFailing ? 'failing' : 'enabled';
  return {
    ...{ id, url, events, state },
    reason: state === 'disabled' ? disabledReason : isFailing ? webhook.lastError : null,
    since: time(state === 'disabled' ? disabledAt : isFailing ? failingSince : null),
    retryAt: time(state === 'failing' ? webhook.nextAt : null),
    createdAt: time(webhook.createdAt),
    lastEventId: `${webhook.position}`,
    oldSecretUntil: time(webhook.oldSecretUntil),
  };
}

export function presentDelivery(delivery: StoredDelivery) {
  const { eventId, event, state, attempts, nextAt } = delivery;
  const { type } = JSON.parse(event) as { type: string };
  return {
    ...{ id: `${eventId}`, type, state },
    nextAttemptAt: time(state === 'waiting' ? nextAt : null),
    attempts: attempts.map(presentAttempt),
  };
}

/** One that succeeded at once. */
export function presentRecent(recent: RecentDelivery) {
  const { event, type } = recent;
  const attempts = [presentAttempt(recent)];
  return { id: event, type, state: 'delivered', nextAttemptAt: null, attempts };
}

export function presentAttempt({ at, ms, status, error, response }: Attempt) {
  return { at: time(at), durationMs: ms, status, error, ...(response && { response }) };
}

function time(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
