import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type NameServer, startNameServer } from './name-server/name-server.ts';
import { isAtOrBelow, plainName, type ZoneRecord } from './name-server/zone-record.ts';
import type { Setup } from './scenarios/scenario.ts';

/** Records by the name of their zone. */
export type Zones = Readonly<Record<string, readonly ZoneRecord[]>>;

/** The lab's DNS: the records that the page shows and changes, served by three name servers. */
export interface LabDns {
  /** The resolver that the dashboard asks, and the first server of every zone. */
  readonly server: string;
  /** Its port, and that of the zones' second server. */
  readonly port: number;
  /** The resolver that the authority asks. */
  readonly authorityServer: string;
  /** False on a machine without a second loopback address, such as macOS. */
  readonly hasSecond: boolean;
  /** The records of each zone, without its NS records. */
  zones(): readonly { readonly origin: string; readonly records: readonly ZoneRecord[] }[];
  /** Adds a record to its zone. Throws a RangeError where there is no zone for it. */
  add(record: ZoneRecord): void;
  /** Removes a record. Throws a RangeError where there is no such record. */
  remove(record: ZoneRecord): void;
  /** Replaces the records and faults of a name by a scenario's. Where the name has no zone, creates one. */
  applyScenario(hostname: string, zone: string, setup: Setup): void;
  /** Has all resolvers find a zone at another server, `ip:port`. */
  forward(zone: string, server: string): void;
  close(): Promise<void>;
}

interface Held {
  readonly record: ZoneRecord;
  /** The name whose scenario added it. */
  readonly of: string | undefined;
}

const NOTHING_REPLACED: ReadonlyMap<string, readonly ZoneRecord[]> = new Map();

/** The second name server's address on Linux, which has all of 127.0.0.0/8. */
const SECOND_ADDRESS = '127.0.0.2';

/** Starts the name servers. `initial`: records by the name of their zone. Rejects where `port` is taken. */
export async function startLabDns(initial: Zones, port: number): Promise<LabDns> {
  const first = await startNameServer({ port });
  const second = await startNameServer({ address: SECOND_ADDRESS, port: first.port }).catch(
    () => undefined,
  );
  const authority = await startNameServer();
  const servers = [first, authority, ...(second ? [second] : [])];

  const zones = new Map<string, Held[]>();
  const setups = new Map<string, Setup>();
  for (const [origin, records] of Object.entries(initial)) {
    const held = records.map((record) => ({ record, of: undefined }));
    zones.set(origin, held);
  }

  function zoneOf(name: string): string {
    const [origin] = [...zones.keys()]
      .filter((candidate) => isAtOrBelow(plainName(name), candidate))
      .toSorted((a, b) => b.length - a.length);
    if (origin === undefined)
      throw new RangeError(`${name} is in none of the zones ${[...zones.keys()].join(', ')}.`);
    return origin;
  }

  function recordsOn(server: NameServer, origin: string, held: readonly Held[]): ZoneRecord[] {
    const replaced = server === second ? recordsOfSecondServer(setups) : NOTHING_REPLACED;
    const own = held.filter(({ of = '' }) => !replaced.has(of)).map(({ record }) => record);
    const others = [...replaced.values()].flat().filter(({ name }) => zoneOf(name) === origin);
    return [...serverRecords(origin, second !== undefined), ...own, ...others];
  }

  function publish(): void {
    for (const server of servers) {
      for (const [origin, held] of zones) server.addZone(origin, recordsOn(server, origin, held));
      server.clearFaults();
      for (const { to, how, scope } of [...setups.values()].flatMap(({ faults }) => faults ?? []))
        if (to === 'everyone' || server === authority) server.injectFault(how, scope);
    }
  }
  publish();

  return {
    server: first.server,
    port: first.port,
    authorityServer: authority.server,
    hasSecond: second !== undefined,
    zones: () =>
      [...zones].map(([origin, held]) => ({ origin, records: held.map(({ record }) => record) })),
    add(record) {
      zones.get(zoneOf(record.name))?.push({ record, of: undefined });
      publish();
    },
    remove(record) {
      const origin = zoneOf(record.name);
      const held = zones.get(origin) ?? [];
      const kept = held.filter((each) => !isSame(each.record, record));
      if (kept.length === held.length)
        throw new RangeError(`There is no record ${record.name} ${record.type} ${record.value}.`);
      zones.set(origin, kept);
      publish();
    },
    applyScenario(hostname, zone, setup) {
      if (!zones.has(zone)) zones.set(zone, []);
      const own = [hostname, `_docs-challenge.${hostname}`, `_acme-challenge.${hostname}`];
      for (const [origin, held] of zones) {
        const kept = held.filter(({ record: { name }, of }) =>
          of === undefined ? !own.includes(name) : of !== hostname,
        );
        zones.set(origin, kept);
      }
      setups.set(hostname, setup);
      for (const record of setup.records)
        zones.get(zoneOf(record.name))?.push({ record, of: hostname });
      publish();
    },
    forward(zone, to) {
      for (const server of servers) server.forward(zone, to);
    },
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  };
}

/** By name: the records of the second server, where they differ. */
function recordsOfSecondServer(
  setups: ReadonlyMap<string, Setup>,
): ReadonlyMap<string, readonly ZoneRecord[]> {
  return new Map(
    [...setups].flatMap(([hostname, { recordsOfSecond }]) =>
      recordsOfSecond ? [[hostname, recordsOfSecond] as const] : [],
    ),
  );
}

/** The NS records of a zone, with their addresses. */
function serverRecords(origin: string, hasSecond: boolean): ZoneRecord[] {
  const addresses = ['127.0.0.1', ...(hasSecond ? [SECOND_ADDRESS] : [])];
  return addresses.flatMap((value, index) => {
    const name = `ns${index + 1}.${origin}`;
    return [
      { name: origin, type: 'NS', value: name },
      { name, type: 'A', value },
    ] satisfies ZoneRecord[];
  });
}

function isSame(a: ZoneRecord, b: ZoneRecord): boolean {
  return a.name === b.name && a.type === b.type && String(a.value) === String(b.value);
}

const fileIn = (folder: string) => join(folder, 'lab-zones.json');

/** The zones that were saved last; undefined where there are none. */
export async function readZones(folder: string): Promise<Zones | undefined> {
  try {
    return JSON.parse(await readFile(fileIn(folder), 'utf8')) as Zones;
  } catch {
    return undefined;
  }
}

/** Saves the zones for the next start in the same folder. */
export async function saveZones(folder: string, dns: Pick<LabDns, 'zones'>): Promise<void> {
  const zones = Object.fromEntries(dns.zones().map(({ origin, records }) => [origin, records]));
  await writeFile(fileIn(folder), JSON.stringify(zones));
}
