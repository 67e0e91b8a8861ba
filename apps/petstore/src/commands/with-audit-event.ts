import type { NewAuditEvent } from '../audit/audit-event.ts';
import type { AuditStore } from '../store/store.ts';

/**
 * Does a piece of work and records its outcome in the audit log, also when it failed. An error of the work takes
 * precedence over an error of the recording.
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
