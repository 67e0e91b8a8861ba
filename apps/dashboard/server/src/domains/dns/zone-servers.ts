import { isFailure, recordsAt } from './outcome.ts';
import { type Bounds, type Source, zoneServerSource } from './source.ts';

/** More servers than this say nothing that these do not. */
const MAX_SERVERS = 4;

interface Options {
  readonly port: number;
  /** Whether an address may be asked: whoever owns a zone writes what they like into it. */
  readonly mayAsk: (address: string) => boolean;
  readonly bounds: Bounds;
}

/**
 * The own servers of the zone that a name is in, as far as they answer for it. None where they are not
 * to be found or out of reach: a network that lets nobody out by that port is no fault of the zone.
 */
export async function zoneServers(
  resolver: Source,
  name: string,
  { port, mayAsk, bounds }: Options,
): Promise<readonly Source[]> {
  const closest = await closestZone(resolver, name);
  if (!closest) return [];
  const { zone, servers } = closest;
  const sources = await Promise.all(
    servers.map(async (server) => {
      const address = await addressOf(resolver, server, mayAsk);
      if (address === undefined) return undefined;
      const source = zoneServerSource(server, { address, port }, { zone, resolver, bounds });
      // One question first: a server that is not there, or not the zone's, costs no more than that.
      const soa = await source.lookUp(zone, 'SOA');
      return recordsAt(soa, zone, 'SOA').length > 0 ? source : undefined;
    }),
  );
  return sources.filter((source) => source !== undefined);
}

/** The closest zone at or above a name, and its servers' names. */
async function closestZone(resolver: Source, name: string) {
  const zones = await Promise.all(
    namesUpFrom(name).map(async (zone) => {
      const outcome = await resolver.lookUp(zone, 'NS');
      const servers = recordsAt(outcome, zone, 'NS').map(({ value }) => value);
      return { zone, servers: servers.toSorted().slice(0, MAX_SERVERS) };
    }),
  );
  return zones.find(({ servers }) => servers.length > 0);
}

/** IPv4 first: not every machine has a way to the other. */
async function addressOf(
  resolver: Source,
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

/** A name and all above it but the root: `a.b.c`, `b.c`, `c`. */
export function namesUpFrom(name: string): string[] {
  const labels = name.split('.');
  return labels.map((_, i) => labels.slice(i).join('.'));
}
