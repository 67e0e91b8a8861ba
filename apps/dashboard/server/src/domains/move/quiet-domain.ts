import { queueDomainNotice } from '../../notices/queue-notice.ts';
import { findEventSince, recordDomainEvent } from '../../store/domain-events.ts';
import { findMove, QUIET_MS } from '../../store/domain-moves.ts';
import type { DomainRow } from '../../store/domains.ts';
import type { Trx } from '../../store/schema.ts';
import { isWildcard } from '../wildcard.ts';

/** Tells the owners, once, that nobody asked for a name for a week since it moved away: then it may be removed. */
export async function tellWhenQuiet(
  trx: Trx,
  { id, hostname, project_id: projectId }: DomainRow,
  movedAwayAt: number,
  at: number,
): Promise<void> {
  // Requests are for the names below it, which nobody counts.
  if (isWildcard(hostname)) return;
  const lastRequestAt = (await findMove(trx, id))?.last_request_at ?? null;
  if (at - Math.max(movedAwayAt, lastRequestAt ?? 0) < QUIET_MS) return;
  if (await findEventSince(trx, id, 'traffic_ended', movedAwayAt)) return;
  const message = `${hostname} moved away, and nobody asked for it here for a week.`;
  await recordDomainEvent(trx, id, at, 'traffic_ended', message);
  await queueDomainNotice(trx, at, {
    type: 'domain.traffic_ended',
    projectId,
    hostname,
    message: `${message} It can be removed now. Its certificate is not renewed any more.`,
    details: {
      lastRequestAt: lastRequestAt === null ? null : new Date(lastRequestAt).toISOString(),
    },
  });
}
