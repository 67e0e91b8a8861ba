import type { Kysely } from 'kysely';
import type { Engine } from '../schema.ts';
import { partOf, tablesOf } from './tables.ts';

/** All events until webhooks chose theirs. */
const EARLIER_EVENTS = [
  'domain.verified',
  'domain.certificate_issued',
  'domain.certificate_failed',
  'domain.certificate_expiring',
  'domain.moved_away',
  'domain.claimed_elsewhere',
  'domain.lost',
  'domain.removed',
];

/** Webhooks choose their events, and what receivers respond is kept. Existing webhooks get what they got before. */
export async function webhookDeliveries(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { serial, index } = tablesOf(db, engine);
  await db.schema
    .alterTable('webhooks')
    .addColumn('events', 'text', (c) => c.notNull().defaultTo(JSON.stringify(EARLIER_EVENTS)))
    .execute();
  await serial('webhook_attempts')
    .addColumn('notice_id', 'text', partOf('notices.id'))
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('duration_ms', 'integer', (c) => c.notNull())
    .addColumn('status', 'integer')
    .addColumn('error', 'text')
    .addColumn('response', 'text', (c) => c.notNull())
    .execute();
  await index('webhook_attempts', 'notice_id');
  await index('notices', 'webhook_id', 'created_at');
}
