import type { DnsRecord, Verdict } from '../../../server/src/domains/verdict.ts';
import { durationInWords } from '../ui/format.ts';
import type { ShownDomain } from './shown-domain.ts';

export interface Remedy {
  readonly remove: Verdict['remove'];
  readonly add: readonly DnsRecord[];
  /** Another possible cause; undefined where there is none. */
  readonly otherwise: string | undefined;
}

/** Causes that no record shows, since a DNS provider answers with its own records instead. */
const OTHERWISE: Record<string, string> = {
  instead_of_cname:
    'Is the CNAME record there already, and the provider shows addresses in its place (a proxy, or CNAME flattening)? Then switch that off for this name instead.',
  all_addresses:
    'Do the addresses come from an ALIAS or ANAME record, a redirect or a proxy of the provider? Then change that one instead.',
  some_addresses:
    'Do the other addresses come from a redirect or a proxy of the provider? Then switch that off instead.',
};

/**
 * The records to remove and to create, by the last check or, before there is one, all that the domain needs. Undefined
 * where no record helps: then the verdict's message says what does.
 */
export function remedyOf({ records, verdict }: ShownDomain): Remedy | undefined {
  if (verdict === null) return { remove: [], add: records, otherwise: undefined };
  const { remove, add, reason } = verdict;
  if (remove.length === 0 && add.length === 0) return undefined;
  return { remove, add, otherwise: OTHERWISE[reason] };
}

/** How long a change takes to become visible, in one sentence; `seconds`: how long resolvers keep the cached answer. */
export function waitInWords(seconds: number): string {
  const repeats =
    seconds <= 0
      ? ''
      : ` (resolvers may repeat the old answer for ${durationInWords(60 * Math.ceil(seconds / 60))} more)`;
  return `A change is usually seen within minutes${repeats}; it can take up to 48 hours.`;
}
