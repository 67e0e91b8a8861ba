import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, instant, instantOrNull, Nullable, OneOf } from '../schema-types.ts';
import type { NoticeRow } from '../store/notices.ts';
import type { AttemptRow } from '../store/webhook-attempts.ts';

const summary = {
  id: Type.String({ description: "The message's webhook-id: the same at each attempt." }),
  type: Type.String({ description: 'The event, or `webhook.test`.' }),
  state: OneOf(['waiting', 'delivered', 'failed'], {
    description: 'waiting: for its first attempt, or for the next one; failed: given up.',
  }),
  createdAt: Instant,
  deliveredAt: Nullable(Instant),
  nextAttemptAt: Nullable(Instant),
  status: Nullable(
    Type.Integer({ description: 'The status of the last response; null where there was none.' }),
  ),
  error: Nullable(
    Type.String({ description: 'What was wrong at the last attempt; null: nothing.' }),
  ),
};

/** A message to a webhook. */
export const DeliverySummary = Type.Object(summary, { $id: 'DeliverySummary' });
export type DeliverySummary = Static<typeof DeliverySummary>;

export const Delivery = Type.Object(
  {
    ...summary,
    body: Type.String({ description: 'What is sent, to the byte: JSON.' }),
    attempts: Type.Array(
      Type.Object({
        at: Instant,
        durationMs: Type.Integer(),
        status: Nullable(Type.Integer()),
        error: Nullable(Type.String()),
        response: Type.String({ description: "The beginning of the response's body." }),
      }),
      { description: 'The newest first, twenty at most.' },
    ),
  },
  { $id: 'Delivery' },
);
export type Delivery = Static<typeof Delivery>;

/** `attempts`: of this delivery, the newest first. */
export function presentDelivery(
  row: NoticeRow,
  [last]: readonly AttemptRow[] = [],
): DeliverySummary {
  return {
    id: row.id,
    type: row.type,
    state: stateOf(row),
    createdAt: instant(row.created_at),
    deliveredAt: instantOrNull(row.delivered_at),
    nextAttemptAt: instantOrNull(row.next_attempt_at),
    status: last?.status ?? null,
    error: row.last_error,
  };
}

/** One delivery, with what was sent and what came back. */
export function presentDeliveryDetails(
  row: NoticeRow,
  attempts: readonly AttemptRow[] = [],
): Delivery {
  return {
    ...presentDelivery(row, attempts),
    body: row.payload,
    attempts: attempts.map(({ at, duration_ms, status, error, response }) => ({
      at: instant(at),
      durationMs: duration_ms,
      status,
      error,
      response,
    })),
  };
}

function stateOf({
  delivered_at,
  next_attempt_at,
}: Pick<NoticeRow, 'delivered_at' | 'next_attempt_at'>): DeliverySummary['state'] {
  if (delivered_at !== null) return 'delivered';
  return next_attempt_at === null ? 'failed' : 'waiting';
}
