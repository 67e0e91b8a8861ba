import type { DnsRecord, Verdict } from '../../../server/src/domains/verdict.ts';
import { count } from '../ui/format.ts';
import type { ShownDomain } from './shown-domain.ts';

export interface Remedy {
  readonly remove: Verdict['remove'];
  readonly add: readonly DnsRecord[];
  /** What else may be the cause; undefined where nothing else comes to mind. */
  readonly otherwise: string | undefined;
}

/** Causes that no record shows, as a DNS provider puts its own answer in the place of the record. */
const OTHERWISE: Record<string, string> = {
  instead_of_cname:
    'Is the CNAME record there already, and the provider shows addresses in its place (a proxy, or CNAME flattening)? Then switch that off for this name instead.',
  all_addresses:
    'Do the addresses come from an ALIAS or ANAME record, a redirect or a proxy of the provider? Then change that one instead.',
  some_addresses:
    'Do the other addresses come from a redirect or a proxy of the provider? Then switch that off instead.',
};

/**
 * The records to remove and to create, by the last check or, before there is one, all that the domain
 * needs. Undefined where no record mends it: then the verdict's own words say what does.
 */
export function remedyOf({ records, verdict }: ShownDomain): Remedy | undefined {
  if (verdict === null) return { remove: [], add: records, otherwise: undefined };
  const { remove, add, reason } = verdict;
  if (remove.length === 0 && add.length === 0) return undefined;
  return { remove, add, otherwise: OTHERWISE[reason] };
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** How long a change takes to be seen, in one sentence; `seconds`: how long resolvers repeat what they know. */
export function waitInWords(seconds: number): string {
  const repeats =
    seconds <= 0 ? '' : ` (resolvers may repeat the old answer for ${roughly(seconds)} more)`;
  return `A change is usually seen within minutes${repeats}; it can take up to 48 hours.`;
}

function roughly(seconds: number): string {
  const [unit, size] = seconds <= 2 * HOUR ? ['minute', MINUTE] : ['hour', HOUR];
  return count(Math.ceil(seconds / size), unit);
}
