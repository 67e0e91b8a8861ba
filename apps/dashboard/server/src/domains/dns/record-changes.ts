import { zoneOf } from '../hostname.ts';
import { addressesOf } from './follow.ts';
import { namesUpFrom } from './names.ts';
import {
  type ChangeableType,
  isFailure,
  type Outcome,
  type RecordType,
  type ResourceRecord,
} from './outcome.ts';
import type { DnsServer } from './servers.ts';
import type { Line } from './words.ts';

/** A record that is not there. Its value is as a ResourceRecord has it. */
export interface ImaginedRecord {
  readonly type: ChangeableType;
  readonly name: string;
  readonly value: string;
}

/** Changes to the records of a zone that nobody has made. */
export interface RecordChanges {
  readonly set: readonly ImaginedRecord[];
  readonly remove: readonly Line[];
}

export const NO_CHANGES: RecordChanges = { set: [], remove: [] };

/** As most panels have it. */
const TTL = 3_600;

/** A label that no zone has, so that records at it are those of a wildcard. */
const PROBE = 'k3v9x7q2m5w8z4n6';

/**
 * A server as it would answer with these changes. A CNAME replaces the one that its name has; all other records come
 * beside those that there are. Where the last record of a name is removed, a wildcard above it is not seen.
 */
export function withChanges(server: DnsServer, changes: RecordChanges): DnsServer {
  if (changes.set.length === 0 && changes.remove.length === 0) return server;
  const changed: DnsServer = {
    label: server.label,
    async lookUp(name, type) {
      const outcome = await server.lookUp(name, type);
      const exact = changes.set.filter((record) => record.name === name);
      const removed = changes.remove.filter((record) => record.name === name);
      const set = exact.length > 0 ? exact : await ofWildcard(server, changes, name, outcome);
      if (isFailure(outcome) || set.length + removed.length === 0) return outcome;
      const hidden = exact.length > 0 ? await wildcardAt(server, name, type) : [];
      const gone = (record: ResourceRecord) =>
        [...removed, ...hidden].some((one) => isSame(one, record));
      return answer(changed, { name, type }, outcome, set, gone);
    },
  };
  return changed;
}

/** What a name has with the records that are set, and without those that are gone. */
async function answer(
  server: DnsServer,
  { name, type }: { readonly name: string; readonly type: RecordType },
  outcome: Outcome,
  set: readonly ImaginedRecord[],
  isGone: (record: ResourceRecord) => boolean,
): Promise<Outcome> {
  if (isFailure(outcome)) return outcome;
  const here = outcome.records.filter((record) => record.name === name && !isGone(record));
  const imagined = set.filter((record) => record.type === type).map(asRecord);
  const [cname] = set.filter((record) => record.type === 'CNAME').map(asRecord);
  const own =
    type === 'CNAME' && cname
      ? [cname]
      : [...here.filter((record) => record.type === type), ...imagined];
  // A server looks at an ALIAS where the name has no addresses of its own.
  const all = own.length > 0 ? own : await aliased(server, set, type);
  if (all.length > 0) return { kind: 'found', records: unique(all) };
  const negativeTtl = 'negativeTtl' in outcome ? outcome.negativeTtl : undefined;
  if (cname) return { kind: 'nodata', records: [cname], negativeTtl };
  const kept = here.some((record) => record.type === 'CNAME');
  // The rest of a chain is at other names.
  if (kept) return outcome;
  const isEmpty = outcome.kind === 'nxdomain' && set.length === 0;
  return { kind: isEmpty ? 'nxdomain' : 'nodata', records: [], negativeTtl };
}

/** The addresses that a server gives for the ALIAS among the records of a name. */
async function aliased(
  server: DnsServer,
  set: readonly ImaginedRecord[],
  type: RecordType,
): Promise<ResourceRecord[]> {
  const alias = set.find((record) => record.type === 'ALIAS');
  if (!alias || (type !== 'A' && type !== 'AAAA')) return [];
  const { addresses } = await addressesOf(server, alias.value);
  return addresses
    .filter((address) => address.includes(':') === (type === 'AAAA'))
    .map((value) => ({ name: alias.name, type, value, ttl: TTL }));
}

/** Records of a wildcard that is set, for a name that does not exist (RFC 4592): the closest one above it. */
async function ofWildcard(
  server: DnsServer,
  { set }: RecordChanges,
  name: string,
  outcome: Outcome,
): Promise<ImaginedRecord[]> {
  if (outcome.kind !== 'nxdomain' || outcome.records.length > 0) return [];
  for (const above of namesUpFrom(name).slice(1)) {
    const records = set.filter((record) => record.name === `*.${above}`);
    if (records.length > 0) return records.map((record) => ({ ...record, name }));
    const exists = (await server.lookUp(above, 'A')).kind !== 'nxdomain';
    if (exists || set.some((record) => record.name === above)) return [];
  }
  return [];
}

/** The records that a name has from a wildcard alone: it loses them with the first one of its own. */
async function wildcardAt(server: DnsServer, name: string, type: RecordType) {
  if (zoneOf(name) === name) return [];
  const beside = `${PROBE}.${name.slice(name.indexOf('.') + 1)}`;
  const outcome = await server.lookUp(beside, type);
  if (isFailure(outcome)) return [];
  return outcome.records.filter((record) => record.name === beside);
}

function isSame(a: Omit<Line, 'name'>, b: ResourceRecord): boolean {
  return a.type === b.type && a.value === b.value;
}

function asRecord({ type, name, value }: ImaginedRecord): ResourceRecord {
  return { type: type as RecordType, name, value, ttl: TTL };
}

function unique(records: readonly ResourceRecord[]): ResourceRecord[] {
  return records.filter((record, i) => records.findIndex((one) => isSame(one, record)) === i);
}
