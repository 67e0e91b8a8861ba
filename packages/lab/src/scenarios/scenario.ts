import type { Scope, ServerFault } from '../name-server/faults.ts';
import type { ZoneRecord } from '../name-server/zone-record.ts';

/** A domain that was added in the dashboard, and the records that its page asks for. */
export interface Claim {
  readonly hostname: string;
  /** The zone that the name is in. */
  readonly zone: string;
  readonly isApex: boolean;
  /** The records to create, as the dashboard gives them: CNAME or ALIAS first; that of the challenges before it. */
  readonly records: readonly ZoneRecord[];
}

/** The records and faults of the lab's DNS and authority for a name. */
export interface Setup {
  readonly records: readonly ZoneRecord[];
  /** The records on the zone's second name server, where they differ. */
  readonly recordsOfSecond?: readonly ZoneRecord[];
  readonly faults?: readonly SetupFault[];
  /** The authority refuses orders for the name with `rateLimited`. */
  readonly isRateLimited?: boolean;
}

/** A fault of the name servers, for all queries or for those of the certificate authority only. */
interface SetupFault {
  readonly to: 'everyone' | 'authority';
  readonly how: ServerFault;
  readonly scope: Scope;
}

export interface Scenario {
  /** As typed: `npm run lab -- set NAME SCENARIO`. */
  readonly id: string;
  readonly title: string;
  /** The code of the verdict after Verify. */
  readonly verdict: string;
  /** What else the dashboard shows: the end of a sentence that begins with the code. */
  readonly expect: string;
  readonly area: 'Records' | 'Move' | 'Name servers' | 'CAA' | 'Authority';
  /** Whether it fits a claim; all fit by default. Only `prepared` is for names that are prepared for a move. */
  readonly only?: 'subdomain' | 'apex' | 'proof' | 'prepared' | 'unprepared';
  setup(claim: Claim): Setup;
}

/** Why a scenario does not fit a claim; undefined where it does. */
export function reasonAgainst({ id, only }: Scenario, claim: Claim): string | undefined {
  const { hostname, isApex, zone, records } = claim;
  const isPrepared = challengeOf(claim) !== undefined;
  if (only === 'prepared' && !isPrepared)
    return `${id} is for a domain that is prepared: choose "Prepare first" on the page of ${hostname}.`;
  if (only !== undefined && only !== 'prepared' && isPrepared)
    return `${id} is for a domain that is not prepared, which ${hostname} is.`;
  if (only === 'apex' && !isApex) return `${id} is for an apex: add ${zone} as a domain.`;
  if (only === 'subdomain' && isApex) return `${id} is for a subdomain: add docs.${zone}.`;
  if (only === 'proof' && !records.some(({ type }) => type === 'TXT'))
    return `${id} is for a name that needs a TXT record, which ${hostname} does not: add ${zone}.`;
  return undefined;
}

/** The record of a claim's challenges; undefined where it is not prepared for a move. */
export function challengeOf({ hostname, records }: Claim): ZoneRecord | undefined {
  return records.find(({ name }) => name === `_acme-challenge.${hostname}`);
}
