import { systemActor } from '../../audit/actor.ts';
import type { AuditEvent, NewAuditEvent } from '../../audit/audit-event.ts';
import type { AuditStore } from '../store.ts';
import type { PostgresClient, Sql, Transaction } from './client.ts';

export function postgresAudit(client: PostgresClient): AuditStore {
  return {
    add: (event) => client.run((sql) => recordEvent(sql, event)),

    async list({ since = null, limit }) {
      const rows = await client.run(
        (sql) => sql<(Omit<AuditEvent, 'id'> & { id: bigint })[]>`
          SELECT id, at, actor, action, subject, detail FROM audit_events
          WHERE at >= coalesce(${since}::timestamptz, '-infinity')
          ORDER BY id DESC LIMIT ${limit}::int`,
      );
      return rows.reverse().map(({ id, ...event }) => ({ id: Number(id), ...event }));
    },
  };
}

/** Puts an event on record, in a transaction if one is given. */
export async function recordEvent(
  sql: Sql | Transaction,
  { at, action, subject, detail }: NewAuditEvent,
): Promise<void> {
  await sql`
    INSERT INTO audit_events (at, actor, action, subject, detail)
    VALUES (${at}, ${systemActor()}, ${action}, ${subject}, ${JSON.stringify(detail)}::text::jsonb)`;
}
