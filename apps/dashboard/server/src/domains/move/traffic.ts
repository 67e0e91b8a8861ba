import type { Deps } from '../../deps.ts';
import { instant, instantOrNull } from '../../schema-types.ts';
import { findMove, isMoving, listRequests, QUIET_MS } from '../../store/domain-moves.ts';
import type { DomainRow } from '../../store/domains.ts';
import type { DomainTraffic } from './domain-move.ts';

/** How far back requests are shown, in minutes. */
const SHOWN_MINUTES = 15;

/** The requests that reached this installation's edges for a domain. */
export async function trafficOf(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  domain: DomainRow,
): Promise<DomainTraffic> {
  const at = now();
  const [move, minutes] = await Promise.all([
    findMove(db, domain.id),
    listRequests(db, domain.id, at, SHOWN_MINUTES),
  ]);
  const { moved_away_at: movedAwayAt } = domain;
  const lastRequestAt = move?.last_request_at ?? null;
  const isCounted =
    domain.verified_at !== null &&
    isMoving({ ...domain, arrived_at: move?.arrived_at ?? null }, at);
  return {
    isCounted,
    lastRequestAt: instantOrNull(lastRequestAt),
    minutes: minutes.map(({ at: minute, requests }) => ({ at: instant(minute), requests })),
    isQuiet: movedAwayAt !== null && at - Math.max(movedAwayAt, lastRequestAt ?? 0) >= QUIET_MS,
  };
}
