import { parse } from 'tldts';
import { hostInZone } from '../hostname.ts';
import type { DnsRecord } from '../verdict.ts';
import type { Expectation } from './check-dns.ts';

/** An hour: what most panels offer, and short enough to mend a slip on the same day. */
const TTL = 3_600;

/** The records that a claim needs: where the name leads, and the proof where one is needed. */
export function recordsToCreate(
  expectation: Pick<Expectation, 'hostname' | 'target' | 'proof'>,
): DnsRecord[] {
  const { proof } = expectation;
  const main = mainRecord(expectation);
  return proof ? [main, dnsRecord('TXT', proof.name, proof.value)] : [main];
}

/** A CNAME, and at the zone's own name, where none can be, an ALIAS. */
export function mainRecord({
  hostname,
  target,
}: Pick<Expectation, 'hostname' | 'target'>): DnsRecord {
  return dnsRecord(parse(hostname).domain === hostname ? 'ALIAS' : 'CNAME', hostname, target);
}

export function dnsRecord(type: DnsRecord['type'], name: string, value: string): DnsRecord {
  return { type, name, host: hostInZone(name, parse(name).domain ?? name), value, ttl: TTL };
}
