import type { DnsRecord, Verdict } from '../../../server/src/domains/verdict.ts';
import { awaitsMove, isChallenge, stageOf } from './preparation.ts';
import type { ShownDomain } from './shown-domain.ts';

/** How a record was found; `later`, `now`: when one that leads to the old host is to be changed. */
export type RecordStatus = 'right' | 'almost' | 'other' | 'missing' | 'unknown' | 'later' | 'now';

/** The last check's result for one of the records that a domain needs. */
export function recordStatus(record: DnsRecord, domain: ShownDomain): RecordStatus {
  const { verdict } = domain;
  if (isChallenge(record)) return verdict === null ? 'unknown' : challengeStatus(verdict);
  const stage = stageOf(domain);
  const isAstray = verdict?.code === 'near_miss' || verdict?.code === 'conflicting_record';
  if (verdict === null || !isAstray || isOfChallenge(verdict)) {
    if (stage === 'proof' || stage === 'certificate') return 'later';
    if (stage === 'ready') return 'now';
  }
  if (verdict === null) return 'unknown';
  const isProof = record.type === 'TXT';
  if (verdict.code === 'near_miss' && isOfProof(verdict) === isProof) return 'almost';
  if (isOther(verdict, isProof)) return 'other';
  if (isAmong(record, verdict.add)) return 'missing';
  switch (verdict.code) {
    case 'verified':
    // It is checked only when everything else is right.
    case 'caa_blocks':
      // Of a wildcard the challenges are enough to be verified.
      return awaitsMove(domain) ? 'missing' : 'right';
    // The proof is checked only when the name leads here.
    case 'ownership_missing':
      return isProof ? 'missing' : 'right';
    case 'near_miss':
      return isOfProof(verdict) ? 'right' : 'unknown';
    default:
      return 'unknown';
  }
}

/** The record of the challenges is checked first, before the name itself leads here. */
function challengeStatus(verdict: Verdict): RecordStatus {
  if (!isOfChallenge(verdict)) return verdict.code === 'dns_error' ? 'unknown' : 'right';
  if (verdict.code === 'near_miss') return 'almost';
  return verdict.code === 'wrong_target' ? 'other' : 'missing';
}

/** The prefix of the reasons about the record of the challenges. */
function isOfChallenge({ reason }: Verdict): boolean {
  return reason.startsWith('challenge_');
}

/** The prefix of the reasons about the TXT record. */
function isOfProof({ reason }: Verdict): boolean {
  return reason.startsWith('proof_');
}

/** There is such a record, with a value that means something else. */
function isOther({ code, reason }: Verdict, isProof: boolean): boolean {
  return isProof
    ? code === 'ownership_missing' && reason === 'wrong_value'
    : code === 'wrong_target' || code === 'apex_wrong_address';
}

/** Records that a verdict asks for beside the domain's own ones, such as a CAA record. */
export function furtherRecords({ records, verdict }: Pick<ShownDomain, 'records' | 'verdict'>) {
  return (verdict?.add ?? []).filter((record) => !isAmong(record, records));
}

function isAmong({ type, name, value }: DnsRecord, records: readonly DnsRecord[]): boolean {
  return records.some(
    (record) => record.type === type && record.name === name && record.value === value,
  );
}

/** The zone of a record: its name without the part that panels want. */
export function zoneOf({ name, host }: DnsRecord): string {
  return host === '@' ? name : name.slice(host.length + 1);
}
