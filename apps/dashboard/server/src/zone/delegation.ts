import { isIPv4 } from 'node:net';
import { dnsRecord } from '../domains/dns/expectation.ts';
import type { DnsRecord } from '../domains/verdict.ts';
import { nameServerOf, type ZoneConfig } from './zone-config.ts';

/** What was found, at the servers of the zone above and at the addresses. */
export interface DelegationFacts {
  /** The addresses of the name server's name; undefined: they could not be looked up. */
  readonly addresses: readonly string[] | undefined;
  /** The servers of the zone above, each with the name servers that it names; undefined: it did not answer. */
  readonly parents: readonly {
    readonly label: string;
    readonly servers: readonly string[] | undefined;
  }[];
  /** Each address of DNS_ADDRESSES, and whether this installation answers there. */
  readonly reached: readonly Reached[];
  /** Whether a resolver finds the zone. */
  readonly isResolved: boolean;
}

export interface Reached {
  readonly address: string;
  readonly udp: Answered;
  readonly tcp: Answered;
}

/** `other`: somebody answers, and it is not this installation's zone. */
export type Answered = 'yes' | 'no' | 'other';

type DelegationCode =
  | 'delegated'
  | 'not_delegated'
  | 'wrong_delegation'
  | 'address_missing'
  | 'wrong_address'
  | 'unreachable'
  | 'not_resolved'
  | 'dns_error';

export interface DelegationVerdict {
  readonly code: DelegationCode;
  /** What is the matter, in one sentence. */
  readonly message: string;
  /** What to do; empty where all is right. */
  readonly remedy: string;
}

/** The records that delegate the zone, to be created in the zone above: the server's addresses, and its name. */
export function delegationRecords(zone: ZoneConfig): DnsRecord[] {
  const server = nameServerOf(zone);
  return [
    ...zone.addresses.map((address) => dnsRecord(isIPv4(address) ? 'A' : 'AAAA', server, address)),
    dnsRecord('NS', zone.name, server),
  ];
}

/** How each of these records was found. */
export function recordStatus(
  record: DnsRecord,
  { addresses, parents }: DelegationFacts,
): 'right' | 'other' | 'missing' | 'unknown' {
  if (record.type === 'NS') {
    const said = parents.flatMap(({ servers }) => (servers ? [servers] : []));
    if (said.length === 0) return 'unknown';
    if (said.every((servers) => servers.length === 1 && servers[0] === record.value))
      return 'right';
    return said.some((servers) => servers.some((server) => server !== record.value))
      ? 'other'
      : 'missing';
  }
  if (!addresses) return 'unknown';
  return addresses.includes(record.value) ? 'right' : 'missing';
}

/** How an address record of a name was found. `found`: the addresses of each name; undefined: it could not be looked up. */
export function addressStatus(
  { name, value }: DnsRecord,
  wanted: readonly DnsRecord[],
  found: ReadonlyMap<string, readonly string[] | undefined>,
): 'right' | 'other' | 'missing' | 'unknown' {
  const addresses = found.get(name);
  if (!addresses) return 'unknown';
  if (addresses.includes(value)) return 'right';
  const isKnown = (address: string) =>
    wanted.some((one) => one.name === name && one.value === address);
  return addresses.every(isKnown) ? 'missing' : 'other';
}

/** One verdict on the delegation: of several things that are wrong, the one that comes first on the way to the zone. */
export function judgeDelegation(zone: ZoneConfig, facts: DelegationFacts): DelegationVerdict {
  const { addresses, parents, reached, isResolved } = facts;
  const server = nameServerOf(zone);
  const answering = parents.filter(({ servers }) => servers !== undefined);
  if (answering.length === 0 && !isResolved)
    return verdict(
      'dns_error',
      `No name server of the zone above ${zone.name} answers.`,
      'Check that this machine may send DNS queries to the internet (port 53, UDP and TCP), and that the domain is registered and has name servers.',
    );
  const without = answering.filter(({ servers }) => servers?.length === 0);
  if (without.length > 0)
    return verdict(
      'not_delegated',
      without.length === answering.length
        ? `${zone.name} is not delegated yet: ${listed(without)} has no NS record for it.`
        : `${listed(without)} has no NS record for ${zone.name} yet; others have.`,
      `Create the NS record of ${zone.name} with the value ${server}. A new record takes some minutes to reach all servers.`,
    );
  const astray = answering.find(({ servers }) => servers?.some((name) => name !== server));
  if (astray)
    return verdict(
      'wrong_delegation',
      `${astray.label} delegates ${zone.name} to ${astray.servers?.join(' and ')}.`,
      `${zone.name} needs one NS record, with the value ${server}. Remove all others.`,
    );
  if (!addresses)
    return verdict('dns_error', `${server} could not be looked up.`, 'Check again in a minute.');
  const missing = zone.addresses.filter((address) => !addresses.includes(address));
  if (missing.length > 0)
    return verdict(
      'address_missing',
      `${server} does not lead to ${missing.join(' and ')}.`,
      `Create the address record of ${server}. Whatever asks it before may keep its absence for some minutes.`,
    );
  const foreign = addresses.filter((address) => !zone.addresses.includes(address));
  if (foreign.length > 0)
    return verdict(
      'wrong_address',
      `${server} also leads to ${foreign.join(' and ')}, which DNS_ADDRESSES does not have.`,
      `Remove that address record, or add the address to DNS_ADDRESSES.`,
    );
  return judgeServers(zone, facts, reached);
}

function judgeServers(
  zone: ZoneConfig,
  { isResolved }: DelegationFacts,
  reached: readonly Reached[],
): DelegationVerdict {
  for (const { address, udp, tcp } of reached) {
    const over = [udp === 'no' && 'UDP', tcp === 'no' && 'TCP'].filter(Boolean).join(' and ');
    if (udp === 'other' || tcp === 'other')
      return verdict(
        'unreachable',
        `At ${address} another program answers on port 53, and not this installation.`,
        `Stop it there, or let this installation listen at that address: DNS_HOST=${address}.`,
      );
    if (over !== '')
      return verdict(
        'unreachable',
        `Nobody answers at ${address}, port 53, over ${over}.`,
        'Open port 53 for UDP and TCP in the firewall, and see that DNS_HOST and DNS_PORT are where it leads. Where this machine cannot reach its own public address, ask from another one.',
      );
  }
  if (!isResolved)
    return verdict(
      'not_resolved',
      `All records are right, and the resolver does not find ${zone.name} yet.`,
      'It may keep what it found before for some minutes. With DNSSEC, the zone above must not have a DS record for this one.',
    );
  return verdict('delegated', `${zone.name} is delegated to this installation, which answers.`, '');
}

function verdict(code: DelegationCode, message: string, remedy: string): DelegationVerdict {
  return { code, message, remedy };
}

function listed(servers: readonly { readonly label: string }[]): string {
  return servers.map(({ label }) => label).join(', ');
}
