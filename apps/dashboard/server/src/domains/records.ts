import type { Config } from '../config.ts';
import type { CanonicalHost } from '../edge/host.ts';
import type { DomainRow } from '../store/domains.ts';
import { hostInZone, PROOF_LABEL, zoneOf } from './hostname.ts';
import type { DnsRecord } from './verdict.ts';

/** Suggested for what is made: an hour, in seconds. */
const TTL_SECONDS = 3_600;

/** The host under the platform's that is this claim's own. */
export function targetOf(
  { target_label }: Pick<DomainRow, 'target_label'>,
  { platformHost }: Pick<Config, 'platformHost'>,
): CanonicalHost {
  return `${target_label}.${platformHost}` as CanonicalHost;
}

/** Where the proof of ownership is to be found. */
export function proofNameOf(hostname: string): string {
  return `${PROOF_LABEL}.${hostname}`;
}

/**
 * The records to create for a claim: a CNAME, or at a zone's own name, where there can be none
 * (RFC 1034, section 3.6.2), an ALIAS; and a TXT where ownership has to be proven.
 */
export function recordsOf(
  domain: Pick<DomainRow, 'hostname' | 'target_label' | 'proof'>,
  config: Pick<Config, 'platformHost'>,
  needsProof: boolean,
): DnsRecord[] {
  const { hostname, proof } = domain;
  const zone = zoneOf(hostname);
  const isApex = zone === hostname;
  const record = (type: DnsRecord['type'], name: string, value: string): DnsRecord => ({
    type,
    name,
    host: hostInZone(name, zone),
    value,
    ttl: TTL_SECONDS,
  });
  const main = record(isApex ? 'ALIAS' : 'CNAME', hostname, targetOf(domain, config));
  return isApex || needsProof ? [main, record('TXT', proofNameOf(hostname), proof)] : [main];
}
