import type { DnsRecord, Verdict } from '../../../server/src/domains/verdict.ts';
import type { ShownDomain } from './shown-domain.ts';

/** How a record was found. */
export type RecordStatus = 'right' | 'almost' | 'other' | 'missing' | 'unknown';

/** What the last check says of one of the records that a domain needs. */
export function recordStatus(record: DnsRecord, verdict: Verdict | null): RecordStatus {
  if (verdict === null) return 'unknown';
  const isProof = record.type === 'TXT';
  if (verdict.code === 'near_miss' && isOfProof(verdict) === isProof) return 'almost';
  if (isOther(verdict, isProof)) return 'other';
  if (isAmong(record, verdict.add)) return 'missing';
  switch (verdict.code) {
    case 'verified':
    // Asked only once all else is in order.
    case 'caa_blocks':
      return 'right';
    // The proof is asked for once the name leads here.
    case 'ownership_missing':
      return isProof ? 'missing' : 'right';
    case 'near_miss':
      return isOfProof(verdict) ? 'right' : 'unknown';
    default:
      return 'unknown';
  }
}

/** The reasons that speak of the TXT record begin so. */
function isOfProof({ reason }: Verdict): boolean {
  return reason.startsWith('proof_');
}

/** There is such a record, with a value that means something else. */
function isOther({ code, reason }: Verdict, isProof: boolean): boolean {
  return isProof
    ? code === 'ownership_missing' && reason === 'wrong_value'
    : code === 'wrong_target' || code === 'apex_wrong_address';
}

/** The lines that a verdict wants and the domain's own records do not have, such as a CAA record. */
export function furtherRecords({ records, verdict }: Pick<ShownDomain, 'records' | 'verdict'>) {
  return (verdict?.add ?? []).filter((record) => !isAmong(record, records));
}

function isAmong({ type, name, value }: DnsRecord, records: readonly DnsRecord[]): boolean {
  return records.some(
    (record) => record.type === type && record.name === name && record.value === value,
  );
}

/** The zone that a record belongs to: its name without the part that panels want. */
export function zoneOf({ name, host }: DnsRecord): string {
  return host === '@' ? name : name.slice(host.length + 1);
}
