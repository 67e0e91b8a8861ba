import { namesUpFrom } from './names.ts';
import { isFailure, type Outcome, type RecordType, recordsAt } from './outcome.ts';
import { type Quota, queryServer, type ServerAddress } from './query-server.ts';

/** A resolver or a zone's own server. Sends the same query once. */
export interface DnsServer {
  /** Its address or its name, for people. */
  readonly label: string;
  lookUp(name: string, type: RecordType): Promise<Outcome>;
}

/** For each of two tries, in milliseconds: a resolver may have to ask others first. */
const RESOLVER_TIMEOUT_MS = 1_000;
const ZONE_SERVER_TIMEOUT_MS = 700;

/** The bounds of all queries of a check together. */
export interface Bounds {
  /** Aborts the queries under way. */
  readonly signal: AbortSignal;
  readonly quota: Quota;
}

/** A resolver. */
export function resolver(label: string, server: ServerAddress, bounds: Bounds): DnsServer {
  const limits = { timeoutMs: RESOLVER_TIMEOUT_MS, ...bounds };
  const lookUp = once((name, type) =>
    queryServer(server, { name, type, isRecursive: true }, limits),
  );
  return { label, lookUp };
}

/** All resolvers at once: the first answer counts; where there is none, the first resolver's failure. */
export function anyResolver(resolvers: readonly DnsServer[]): DnsServer {
  const lookUp = once(async (name, type) => {
    const lookUps = resolvers.map((resolver) => resolver.lookUp(name, type));
    try {
      return await Promise.any(lookUps.map(answered));
    } catch {
      return lookUps[0] ?? { kind: 'timeout' };
    }
  });
  return { label: 'resolvers', lookUp };
}

/** Rejects where the look-up failed. */
async function answered(lookUp: Promise<Outcome>): Promise<Outcome> {
  const outcome = await lookUp;
  if (isFailure(outcome)) throw new Error(outcome.kind);
  return outcome;
}

/** One of a zone's own servers, for the names of the zone; the resolver for all others. */
function zoneServer(
  label: string,
  server: ServerAddress,
  { zone, resolver, bounds }: { zone: string; resolver: DnsServer; bounds: Bounds },
): DnsServer {
  const limits = { timeoutMs: ZONE_SERVER_TIMEOUT_MS, ...bounds };
  const lookUp = once(async (name, type) => {
    if (name !== zone && !name.endsWith(`.${zone}`)) return resolver.lookUp(name, type);
    return queryServer(server, { name, type, isRecursive: false }, limits);
  });
  return { label, lookUp };
}

type LookUp = DnsServer['lookUp'];

function once(lookUp: LookUp): LookUp {
  const outcomes = new Map<string, Promise<Outcome>>();
  return (name, type) => {
    const key = `${type} ${name}`;
    const outcome = outcomes.get(key) ?? lookUp(name, type);
    outcomes.set(key, outcome);
    return outcome;
  };
}

/** How many of a zone's servers are queried. */
const MAX_SERVERS = 4;

interface Options {
  readonly port: number;
  /** Whether an address may be asked: the owner of a zone can write any address into it. */
  readonly mayAsk: (address: string) => boolean;
  readonly bounds: Bounds;
}

/**
 * The servers of the zone that a name is in, as far as they answer for the zone. None where they cannot be found or
 * reached: this network may block DNS queries, which is not the zone's fault.
 */
export async function zoneServers(
  resolver: DnsServer,
  name: string,
  { port, mayAsk, bounds }: Options,
): Promise<readonly DnsServer[]> {
  const closest = await closestZone(resolver, name);
  if (!closest) return [];
  const { zone, servers } = closest;
  const found = await Promise.all(
    servers.map(async (name) => {
      const address = await addressOf(resolver, name, mayAsk);
      if (address === undefined) return undefined;
      const server = zoneServer(name, { address, port }, { zone, resolver, bounds });
      // One query first: a server that is down, or not the zone's, costs no more than that.
      const soa = await server.lookUp(zone, 'SOA');
      return recordsAt(soa, zone, 'SOA').length > 0 ? server : undefined;
    }),
  );
  return found.filter((server) => server !== undefined);
}

/** One of a zone's own servers, as the zone names it. */
export interface NamedServer {
  readonly label: string;
  /** undefined: its name has none that may be asked. */
  readonly address: string | undefined;
  /** undefined with the address. */
  readonly server: DnsServer | undefined;
}

/** How many of a zone's servers are shown: the root has as many, and hardly a zone has more. */
const MAX_SHOWN = 13;

/** All servers of the zone that a name is in, also those that do not answer. None where the zone cannot be found. */
export async function namedZoneServers(
  resolver: DnsServer,
  name: string,
  { port, mayAsk, bounds }: Options,
): Promise<readonly NamedServer[]> {
  const closest = await closestZone(resolver, name, MAX_SHOWN);
  if (!closest) return [];
  const { zone, servers } = closest;
  return Promise.all(
    servers.map(async (label) => {
      const address = await addressOf(resolver, label, mayAsk);
      const server =
        address === undefined
          ? undefined
          : zoneServer(label, { address, port }, { zone, resolver, bounds });
      return { label, address, server };
    }),
  );
}

/** The closest zone at or above a name, and its servers' names. */
export async function closestZone(resolver: DnsServer, name: string, most = MAX_SERVERS) {
  const zones = await Promise.all(
    namesUpFrom(name).map(async (zone) => {
      const outcome = await resolver.lookUp(zone, 'NS');
      const servers = recordsAt(outcome, zone, 'NS').map(({ value }) => value);
      return { zone, servers: servers.toSorted().slice(0, most) };
    }),
  );
  return zones.find(({ servers }) => servers.length > 0);
}

/** IPv4 first: not every machine has IPv6. */
async function addressOf(
  resolver: DnsServer,
  name: string,
  mayAsk: Options['mayAsk'],
): Promise<string | undefined> {
  for (const type of ['A', 'AAAA'] as const) {
    const outcome = await resolver.lookUp(name, type);
    if (isFailure(outcome)) continue;
    const address = outcome.records.find((record) => record.type === type && mayAsk(record.value));
    if (address) return address.value;
  }
  return undefined;
}
