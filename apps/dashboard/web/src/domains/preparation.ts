import type { DnsRecord } from '../../../server/src/domains/verdict.ts';
import type { ShownDomain } from './shown-domain.ts';

/**
 * How far a prepared domain is: `proof`: the record of its challenges is not right yet; `certificate`: it waits for its
 * certificate; `ready`: its own record may lead here now; `moved`: it does. undefined: it is not prepared, or moved away.
 */
export type Stage = 'proof' | 'certificate' | 'ready' | 'moved';

type Staged = Pick<ShownDomain, 'prepare' | 'state' | 'pointsHere' | 'movedAwayAt' | 'isWildcard'>;

export function stageOf({
  prepare,
  state,
  pointsHere,
  movedAwayAt,
  isWildcard,
}: Staged): Stage | undefined {
  // A wildcard has that record in any case, and nothing moves.
  if (!prepare || isWildcard || movedAwayAt !== null) return undefined;
  if (state === 'unverified') return 'proof';
  if (pointsHere) return 'moved';
  return state === 'active' ? 'ready' : 'certificate';
}

/** Whether a prepared domain has steps of its move before it. */
export function isUnderWay(domain: Staged): boolean {
  const stage = stageOf(domain);
  return stage !== undefined && stage !== 'moved';
}

/**
 * Whether a domain is proven by its `_acme-challenge` record, and its own record does not lead here yet: it leads to the
 * old host, or a wildcard has none.
 */
export function awaitsMove({ prepare, state, pointsHere, movedAwayAt }: Staged): boolean {
  return prepare && state !== 'unverified' && !pointsHere && movedAwayAt === null;
}

/** Whether a record is that of a domain's challenges, and not its own. */
export function isChallenge({ type, name }: Pick<DnsRecord, 'type' | 'name'>): boolean {
  return type === 'CNAME' && name.startsWith('_acme-challenge.');
}
