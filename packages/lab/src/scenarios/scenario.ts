import type { Misbehaviour, Scope } from '../name-server/misbehaviour.ts';
import type { ZoneRecord } from '../name-server/zone-record.ts';

/** A domain that was added in the dashboard, and what its page asks for. */
export interface Claim {
  readonly hostname: string;
  /** The zone that the name is in. */
  readonly zone: string;
  readonly isApex: boolean;
  /** The records to create, as the dashboard gives them: CNAME or ALIAS first. */
  readonly records: readonly ZoneRecord[];
}

/** What becomes of the lab's DNS and authority for a name. */
export interface Situation {
  readonly records: readonly ZoneRecord[];
  /** What the zone's second name server has in their place. */
  readonly recordsOfSecond?: readonly ZoneRecord[];
  readonly wrongs?: readonly Wrong[];
  /** The authority turns orders for the name away. */
  readonly isRateLimited?: boolean;
}

/** A name server's misbehaviour, at the questions of the dashboard or at those of the authority. */
interface Wrong {
  readonly to: 'everyone' | 'authority';
  readonly how: Misbehaviour;
  readonly scope: Scope;
}

export interface Scenario {
  /** As typed: `npm run lab -- set NAME SCENARIO`. */
  readonly id: string;
  readonly title: string;
  /** The code of the verdict that Verify ends with. */
  readonly verdict: string;
  /** What else to look for in the dashboard: a sentence that goes on behind the code. */
  readonly expect: string;
  readonly area: 'Records' | 'Name servers' | 'CAA' | 'Authority';
  /** Which claims it can be brought about for; all where it is left out. */
  readonly only?: 'subdomain' | 'apex' | 'proof';
  situation(claim: Claim): Situation;
}

/** Why a scenario cannot be brought about for a claim; undefined: it can. */
export function reasonAgainst({ id, only }: Scenario, claim: Claim): string | undefined {
  const { hostname, isApex, zone, records } = claim;
  if (only === 'apex' && !isApex) return `${id} is for an apex: add ${zone} as a domain.`;
  if (only === 'subdomain' && isApex) return `${id} is for a subdomain: add docs.${zone}.`;
  if (only === 'proof' && !records.some(({ type }) => type === 'TXT'))
    return `${id} is for a name that needs a TXT record, which ${hostname} does not: add ${zone}.`;
  return undefined;
}
