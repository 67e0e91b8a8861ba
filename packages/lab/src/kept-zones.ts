import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LabDns } from './lab-dns.ts';
import type { ZoneRecord } from './name-server/zone-record.ts';

/** Records by the name of their zone. */
export type Zones = Readonly<Record<string, readonly ZoneRecord[]>>;

const pathIn = (folder: string) => join(folder, 'lab-zones.json');

/** What the DNS had when it was kept last; undefined where it never was. */
export async function readZones(folder: string): Promise<Zones | undefined> {
  try {
    return JSON.parse(await readFile(pathIn(folder), 'utf8')) as Zones;
  } catch {
    return undefined;
  }
}

/** Keeps what the DNS has, for the next start in the same folder. */
export async function keepZones(folder: string, dns: Pick<LabDns, 'zones'>): Promise<void> {
  const zones = Object.fromEntries(dns.zones().map(({ origin, records }) => [origin, records]));
  await writeFile(pathIn(folder), JSON.stringify(zones));
}
