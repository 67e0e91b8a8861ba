import type { DatabaseSync } from 'node:sqlite';
import {
  type AuditAction,
  type AuditEvent,
  type NewAuditEvent,
  systemActor,
} from '../../audit/audit-event.ts';
import type { AuditStore } from '../contract/audit-store.ts';
import { translateErrors } from './errors.ts';
import type { RareWrite } from './rare-writes.ts';

/** Records events, in the open transaction. */
export function auditRecorder(db: DatabaseSync): (event: NewAuditEvent) => void {
  const insert = db.prepare(
    'INSERT INTO audit_events (at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?)',
  );
  return ({ at, action, subject, detail }) => {
    insert.run(at.getTime(), systemActor(), action, subject, JSON.stringify(detail));
  };
}

export function sqliteAudit(db: DatabaseSync, write: RareWrite): AuditStore {
  const record = auditRecorder(db);
  const selectNewest = db.prepare(
    `SELECT id, at, actor, action, subject, detail FROM audit_events WHERE at >= ?
     ORDER BY id DESC LIMIT ?`,
  );
  return {
    add: (event) => write(() => record(event)),

    async list({ since, limit }) {
      const from = since?.getTime() ?? Number.MIN_SAFE_INTEGER;
      const rows = translateErrors(() => selectNewest.all(from, limit));
      return rows.reverse().map(
        (row): AuditEvent => ({
          id: Number(row.id),
          at: new Date(Number(row.at)),
          actor: String(row.actor),
          action: row.action as AuditAction,
          subject: String(row.subject),
          detail: JSON.parse(String(row.detail)),
        }),
      );
    },
  };
}
