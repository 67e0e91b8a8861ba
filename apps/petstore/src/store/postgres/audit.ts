import type { Connection } from '@petstore/postgres/connection.ts';
import sql from 'sql-template-tag';
import { type AuditEvent, type NewAuditEvent, systemActor } from '../../audit/audit-event.ts';
import type { AuditStore } from '../contract/audit-store.ts';
import type { Clients } from './client.ts';

export function postgresAudit({ reads, writes }: Clients): AuditStore {
  return {
    add: (event) => writes.run((db) => recordAudit(db, event)),

    async list({ since = null, limit }) {
      const rows = await reads.run((db) =>
        db.rows<Omit<AuditEvent, 'id'> & { id: bigint }>(sql`
          SELECT id, at, actor, action, subject, detail FROM audit_events
          WHERE at >= coalesce(${since}::timestamptz, '-infinity')
          ORDER BY id DESC LIMIT ${limit}::int`),
      );
      return rows.reverse().map(({ id, ...event }) => ({ id: Number(id), ...event }));
    },
  };
}

/** Records an event, in a transaction if one is given. */
export async function recordAudit(
  db: Connection,
  { at, action, subject, detail }: NewAuditEvent,
): Promise<void> {
  await db.execute(sql`
    INSERT INTO audit_events (at, actor, action, subject, detail)
    VALUES (${at}, ${systemActor()}, ${action}, ${subject}, ${JSON.stringify(detail)}::text::jsonb)`);
}
