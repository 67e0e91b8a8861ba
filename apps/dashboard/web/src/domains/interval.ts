import { stageOf } from './preparation.ts';
import type { ShownDomain } from './shown-domain.ts';

/** The refetch interval while something is about to change by itself. */
const UNSETTLED_MS = 2_000;
const SETTLED_MS = 15_000;
/** Something due within this time is worth waiting for. */
const SOON_MS = 30_000;

type Unsettled = Pick<
  ShownDomain,
  | 'state'
  | 'nextCheckAt'
  | 'certificate'
  | 'issuance'
  | 'prepare'
  | 'pointsHere'
  | 'movedAwayAt'
  | 'isWildcard'
>;

/** How often domains are refetched, in milliseconds. A page that nobody sees does not refetch. */
export function domainInterval(domains: readonly Unsettled[]): number {
  return domains.some(isUnsettled) ? UNSETTLED_MS : SETTLED_MS;
}

function isUnsettled(domain: Unsettled): boolean {
  const { state, nextCheckAt, certificate, issuance } = domain;
  if (state === 'unverified' || stageOf(domain) === 'ready') return isSoon(nextCheckAt);
  if (issuance === null) return certificate === null;
  return isSoon(issuance.nextAttemptAt);
}

function isSoon(at: string | null): boolean {
  return at !== null && Date.parse(at) - Date.now() < SOON_MS;
}
