import type { CanonicalHost } from '../../edge/host.ts';
import { hostInZone, zoneOf } from '../hostname.ts';
import type { DnsRecord } from '../verdict.ts';

/** What the DNS of a claimed name should hold. */
export interface Expectation {
  readonly hostname: CanonicalHost;
  /** The claim's own host below the platform's. */
  readonly target: CanonicalHost;
  /** The TXT record that proves ownership: needed for an apex, and for a name that another project holds. */
  readonly proof: { readonly name: string; readonly value: string } | undefined;
  /** Where the name is prepared for a move. */
  readonly challenge?: ChallengeExpectation | undefined;
  /** In the order in which they are asked. */
  readonly authorities: readonly [NamedAuthority, ...NamedAuthority[]];
}

/**
 * The CNAME record at which authorities look for challenges of DNS-01 (RFC 8555, section 8.4). It leads to the claim's
 * own name in the installation's zone, and proves ownership as the TXT record does.
 */
export interface ChallengeExpectation {
  readonly name: string;
  readonly value: string;
  /** The name itself has not led here yet, and need not. */
  readonly isAwaitingMove: boolean;
  /** It is of a wildcard, for which there is no other challenge. */
  readonly isForWildcard: boolean;
}

/** A certificate authority, of which CAA records (RFC 8659, RFC 8657) must allow one. */
export interface Authority {
  /** Its issuer domain names; the first is the one for a new record. */
  readonly identities: readonly string[];
  readonly accountUri: string | undefined;
  readonly methods: readonly ('http-01' | 'tls-alpn-01' | 'dns-01')[];
}

export interface NamedAuthority extends Authority {
  /** For people. */
  readonly name: string;
  readonly directoryUrl: string;
}

/** An hour, in seconds: most panels offer it, and a mistake can be corrected on the same day. */
const TTL = 3_600;

/**
 * The records to create for a claim: the main one, and the TXT record where it is needed. Where the name is prepared for
 * a move, the record of its challenges comes first, and is proof enough.
 */
export function recordsToCreate(
  expectation: Pick<Expectation, 'hostname' | 'target' | 'proof' | 'challenge'>,
): DnsRecord[] {
  const { proof, challenge } = expectation;
  const main = mainRecord(expectation);
  if (challenge) return [dnsRecord('CNAME', challenge.name, challenge.value), main];
  return proof ? [main, dnsRecord('TXT', proof.name, proof.value)] : [main];
}

/** A CNAME; at an apex, which cannot have one, an ALIAS. */
export function mainRecord({
  hostname,
  target,
}: Pick<Expectation, 'hostname' | 'target'>): DnsRecord {
  return dnsRecord(zoneOf(hostname) === hostname ? 'ALIAS' : 'CNAME', hostname, target);
}

export function dnsRecord(type: DnsRecord['type'], name: string, value: string): DnsRecord {
  return { type, name, host: hostInZone(name, zoneOf(name)), value, ttl: TTL };
}
