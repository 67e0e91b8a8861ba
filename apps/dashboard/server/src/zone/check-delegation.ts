import { getServers } from 'node:dns';
import type { Config } from '../config.ts';
import { mayAskServer } from '../domains/dns/observe.ts';
import { isFailure, type Outcome, recordsAt } from '../domains/dns/outcome.ts';
import {
  createQuota,
  queryServer,
  queryServerOverTcp,
  readServerAddress,
} from '../domains/dns/query-server.ts';
import {
  anyResolver,
  type Bounds,
  type DnsServer,
  resolver,
  zoneServers,
} from '../domains/dns/servers.ts';
import type { DnsRecord } from '../domains/verdict.ts';
import type { Answered, DelegationFacts, Reached } from './delegation.ts';
import { nameServerOf, parentOf, type ZoneConfig } from './zone-config.ts';

/** The longest time that a check takes, and that an address has to answer, in milliseconds. */
const TIMEOUT_MS = 8_000;
const ADDRESS_TIMEOUT_MS = 2_000;

type CheckConfig = Pick<Config, 'dnsServers' | 'dnsAuthoritativePort' | 'dnsPrivateServers'>;

/** Looks from outside at the way to the zone: resolvers, the servers of the zone above, its own addresses. Never rejects. */
export async function observeDelegation(
  zone: ZoneConfig,
  config: CheckConfig,
): Promise<DelegationFacts> {
  const bounds = { signal: AbortSignal.timeout(TIMEOUT_MS), quota: createQuota() };
  const servers = config.dnsServers.length > 0 ? config.dnsServers : getServers();
  const any = anyResolver(
    servers.map((server) => resolver(server, readServerAddress(server), bounds)),
  );
  const above = await serversAbove(zone, any, servers, config, bounds);
  const [addresses, parents, reached, soa] = await Promise.all([
    // Its own servers know of a new record at once; the resolver may keep its absence for an hour.
    addressesOf(above.length > 0 ? above : [any], nameServerOf(zone)),
    Promise.all(above.map((server) => delegationAt(server, zone))),
    Promise.all(zone.addresses.map((address) => reach(address, zone, config, bounds))),
    any.lookUp(zone.name, 'SOA'),
  ]);
  return { addresses, parents, reached, isResolved: recordsAt(soa, zone.name, 'SOA').length > 0 };
}

/** A name that a wildcard record stands for. */
const BELOW = 'any-site';

/** The addresses of each of these records' names, at the servers of the zone above, or else as resolvers have them. */
export async function observeAddresses(
  zone: ZoneConfig,
  records: readonly DnsRecord[],
  config: CheckConfig,
): Promise<Map<string, string[] | undefined>> {
  const bounds = { signal: AbortSignal.timeout(TIMEOUT_MS), quota: createQuota() };
  const servers = config.dnsServers.length > 0 ? config.dnsServers : getServers();
  const any = anyResolver(
    servers.map((server) => resolver(server, readServerAddress(server), bounds)),
  );
  const above = records.length > 0 ? await serversAbove(zone, any, servers, config, bounds) : [];
  const names = [...new Set(records.map(({ name }) => name))];
  const found = await Promise.all(
    names.map(async (name) => {
      const asked = name.replace(/^\*/, BELOW);
      return [name, await addressesOf([...above, any], asked)] as const;
    }),
  );
  return new Map(found);
}

/** Of the first server that answers; undefined: none does. */
async function addressesOf(
  servers: readonly DnsServer[],
  name: string,
): Promise<string[] | undefined> {
  for (const server of servers) {
    const [v4, v6] = await Promise.all([server.lookUp(name, 'A'), server.lookUp(name, 'AAAA')]);
    if (isFailure(v4) || isFailure(v6)) continue;
    return [...recordsAt(v4, name, 'A'), ...recordsAt(v6, name, 'AAAA')].map(({ value }) => value);
  }
  return undefined;
}

/** The servers of the zone above that answer. */
function serversAbove(
  zone: ZoneConfig,
  any: DnsServer,
  resolvers: readonly string[],
  { dnsAuthoritativePort: port, dnsPrivateServers }: CheckConfig,
  bounds: Bounds,
): Promise<readonly DnsServer[]> {
  const mayAsk = mayAskServer(resolvers.map(readServerAddress), dnsPrivateServers === 'allow');
  return zoneServers(any, parentOf(zone), { port, mayAsk, bounds });
}

/** A server of the zone above refers to the name servers of this one; or has both zones, and answers itself. */
async function delegationAt({ label, lookUp }: DnsServer, zone: ZoneConfig) {
  const outcome = await lookUp(zone.name, 'NS');
  if (isFailure(outcome)) return { label, servers: undefined };
  const referral = 'referral' in outcome ? (outcome.referral ?? []) : [];
  const said = [...recordsAt(outcome, zone.name, 'NS'), ...referral];
  const own = said.filter(({ name }) => name === zone.name);
  return { label, servers: [...new Set(own.map(({ value }) => value))].toSorted() };
}

async function reach(
  address: string,
  zone: ZoneConfig,
  { dnsAuthoritativePort: port }: CheckConfig,
  bounds: Bounds,
): Promise<Reached> {
  const question = { name: zone.name, type: 'NS', isRecursive: false } as const;
  const limits = { ...bounds, timeoutMs: ADDRESS_TIMEOUT_MS };
  const [udp, tcp] = await Promise.all([
    queryServer({ address, port }, question, limits),
    queryServerOverTcp({ address, port }, question, limits),
  ]);
  return { address, udp: isOwn(udp, zone), tcp: isOwn(tcp, zone) };
}

/** Whether an answer is of this installation's zone, which has one name server. */
function isOwn(outcome: Outcome, zone: ZoneConfig): Answered {
  if (outcome.kind === 'timeout') return 'no';
  const [server, ...more] = recordsAt(outcome, zone.name, 'NS');
  return server?.value === nameServerOf(zone) && more.length === 0 ? 'yes' : 'other';
}
