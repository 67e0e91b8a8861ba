import type { Zones } from './kept-zones.ts';
import { type NameServer, startNameServer } from './name-server/name-server.ts';
import { isAtOrBelow, plainName, type ZoneRecord } from './name-server/zone-record.ts';
import type { Situation } from './scenarios/scenario.ts';

/** The lab's DNS: what the page shows and changes, served by three name servers. */
export interface LabDns {
  /** The resolver that the dashboard asks, and the first server of every zone. */
  readonly server: string;
  /** Its port, which the zones' second server has, too. */
  readonly port: number;
  /** The resolver that the authority asks. */
  readonly authorityServer: string;
  /** False where the machine has no second address on loopback, as macOS has none. */
  readonly hasSecond: boolean;
  /** The records of each zone, without those that every zone has. */
  zones(): readonly { readonly origin: string; readonly records: readonly ZoneRecord[] }[];
  /** Adds a record to its zone. Throws a RangeError where there is none for it. */
  add(record: ZoneRecord): void;
  /** Removes a record. Throws a RangeError where there is none such. */
  remove(record: ZoneRecord): void;
  /** Puts a situation in the place of what a name has, in a zone that is made where there is none. */
  bringAbout(hostname: string, zone: string, situation: Situation): void;
  close(): Promise<void>;
}

interface Held {
  readonly record: ZoneRecord;
  /** The name whose situation brought it. */
  readonly of: string | undefined;
}

const NOTHING_REPLACED: ReadonlyMap<string, readonly ZoneRecord[]> = new Map();

/** Where Linux has a second name server; every address of 127.0.0.0/8 is its own. */
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
  const situations = new Map<string, Situation>();
  for (const [origin, records] of Object.entries(initial)) {
    zones.set(
      origin,
      records.map((record) => ({ record, of: undefined })),
    );
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
    const replaced = server === second ? situationsOfSecond(situations) : NOTHING_REPLACED;
    const own = held.filter(({ of = '' }) => !replaced.has(of)).map(({ record }) => record);
    const others = [...replaced.values()].flat().filter(({ name }) => zoneOf(name) === origin);
    return [...serverRecords(origin, second !== undefined), ...own, ...others];
  }

  function publish(): void {
    for (const server of servers) {
      for (const [origin, held] of zones) server.addZone(origin, recordsOn(server, origin, held));
      server.behave();
      for (const { to, how, scope } of [...situations.values()].flatMap(
        ({ wrongs }) => wrongs ?? [],
      ))
        if (to === 'everyone' || server === authority) server.misbehave(how, scope);
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
    bringAbout(hostname, zone, situation) {
      if (!zones.has(zone)) zones.set(zone, []);
      const proof = `_docs-challenge.${hostname}`;
      for (const [origin, held] of zones) {
        zones.set(
          origin,
          held.filter(({ record: { name }, of }) =>
            of === undefined ? name !== hostname && name !== proof : of !== hostname,
          ),
        );
      }
      situations.set(hostname, situation);
      for (const record of situation.records)
        zones.get(zoneOf(record.name))?.push({ record, of: hostname });
      publish();
    },
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  };
}

/** By name, what the second server has in the place of the name's records. */
function situationsOfSecond(
  situations: ReadonlyMap<string, Situation>,
): ReadonlyMap<string, readonly ZoneRecord[]> {
  return new Map(
    [...situations].flatMap(([hostname, { recordsOfSecond }]) =>
      recordsOfSecond ? [[hostname, recordsOfSecond] as const] : [],
    ),
  );
}

/** What every zone has of its own: its name servers. */
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
