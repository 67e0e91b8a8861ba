import { findMove, recordMoveSeen } from '../../store/domain-moves.ts';
import { findDomainById } from '../../store/domains.ts';
import type { Trx } from '../../store/schema.ts';
import { type CheckResult, mayLeadHere } from '../dns/judge.ts';
import { type Observation, OWN_TYPES, type View } from '../dns/observation.ts';
import { type ResourceRecord, recordsAt } from '../dns/outcome.ts';

/** The most records that are kept: a name has one CNAME, or a handful of others. */
const MAX_RECORDS = 20;

/** The records at a name itself, as the zone's own servers have them, or else a resolver. */
export function recordsSeen(
  { zoneServers, resolvers }: Observation,
  hostname: string,
): ResourceRecord[] {
  for (const view of [...zoneServers, ...resolvers]) {
    const found = recordsOf(view, hostname);
    if (found.length > 0) return found.slice(0, MAX_RECORDS);
  }
  return [];
}

function recordsOf({ chain, otherCnames, own }: View, hostname: string): ResourceRecord[] {
  const [cname] = chain.hops;
  if (cname) return [cname, ...otherCnames];
  return OWN_TYPES.flatMap((type) => recordsAt(own[type], hostname, type));
}

/**
 * Keeps the records that a name had before it led here, for the way back: those that were seen first, so that no
 * mistyped one takes their place. A name that left and is to come again has new ones.
 */
export async function keepRecordsSeen(
  trx: Trx,
  domainId: string,
  result: CheckResult & { readonly records: readonly ResourceRecord[] },
  at: number,
): Promise<void> {
  const { pointsHere, records } = result;
  const domain = await findDomainById(trx, domainId);
  if (!domain || domain.removed_at !== null) return;
  const move = await findMove(trx, domainId);
  const hasArrived = (move?.arrived_at ?? null) !== null;
  if (pointsHere) {
    if (!hasArrived) await recordMoveSeen(trx, domainId, { arrived_at: at });
    return;
  }
  if (mayLeadHere(result) || records.length === 0) return;
  if (move?.old_records && !hasArrived) return;
  await recordMoveSeen(trx, domainId, {
    ...{ old_records: JSON.stringify(records), old_seen_at: at },
    ...{ old_answered_at: null, arrived_at: null },
  });
}
