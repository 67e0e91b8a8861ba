import type { AuditEvent, NewAuditEvent } from '../../audit/audit-event.ts';

/** The actions of those who run the service. Entries are never changed or deleted. */
export interface AuditStore {
  /** Records an event, in the name of the system user of this process. */
  add(event: NewAuditEvent): Promise<void>;
  /** The newest `limit` events since a moment, the newest last. */
  list(query: { since: Date | undefined; limit: number }): Promise<AuditEvent[]>;
}
