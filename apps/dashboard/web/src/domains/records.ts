import type { DnsRecord, Verdict } from '../../../server/src/domains/verdict.ts';
import type { ShownDomain } from './shown-domain.ts';

export type RecordStatus = 'right' | 'missing' | 'unknown';

/** Whether the last check has found a record as it should be. */
export function recordStatus(record: DnsRecord, verdict: Verdict | null): RecordStatus {
  if (verdict === null) return 'unknown';
  if (isAmong(record, verdict.add)) return 'missing';
  switch (verdict.code) {
    case 'verified':
    // Asked only once all else is in order.
    case 'caa_blocks':
      return 'right';
    case 'ownership_missing':
      return record.type === 'TXT' ? 'missing' : 'right';
    default:
      return 'unknown';
  }
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
