import type { NewAuditEvent } from '../audit/audit-event.ts';
import type { AuditStore } from '../store/store.ts';

/**
 * Does a piece of work and puts on record what came of it, however it ended. An error of the work
 * counts for more than that it could not be put on record.
 */
export async function withAuditEvent(
  audit: AuditStore,
  work: () => Promise<void>,
  event: () => Omit<NewAuditEvent, 'at'>,
): Promise<void> {
  const record = () => audit.add({ at: new Date(), ...event() });
  try {
    await work();
  } catch (error) {
    await record().catch(() => {});
    throw error;
  }
  await record();
}
