import { type Answer, encode } from 'dns-packet';
import { encodeName, labelOffsets, nameKey } from './names.ts';
import { textStrings, type Zone, type ZoneRecord } from './zone-record.ts';

/** The numbers of types (RFC 1035, section 3.2.2, RFC 3596, RFC 8659). */
export const TYPES = { A: 1, NS: 2, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, CAA: 257 } as const;

/** The records of one name and type, which are answered together (RFC 2181, section 5). */
export interface RecordSet {
  readonly type: number;
  /** In seconds. */
  readonly ttl: number;
  /** What each record says, as messages have it. */
  readonly data: readonly Buffer[];
}

/** A name of the zone. One without sets exists as well: there is a name below it (RFC 8020). */
export interface ZoneNode {
  readonly wire: Buffer;
  readonly sets: ReadonlyMap<number, RecordSet>;
  /** Where a CNAME leads. */
  readonly target?: Buffer;
}

/** A zone as it is looked up. It never changes: a changed zone is another one. */
export interface ZoneIndex {
  readonly apex: Buffer;
  readonly apexKey: string;
  /** By `nameKey`. */
  readonly nodes: ReadonlyMap<string, ZoneNode>;
  /** For negative answers: its TTL is how long they may be kept (RFC 2308, section 5). */
  readonly negativeSoa: RecordSet;
}

/** Prepares a zone for look-ups. Throws RangeError for one that no server may answer from. */
export function indexZone({ origin, records }: Zone): ZoneIndex {
  const apex = encodeName(origin);
  const apexKey = nameKey(apex);
  const nodes = new Map<string, { wire: Buffer; sets: Map<number, RecordSet>; target?: Buffer }>();
  const nodeAt = (wire: Buffer) => {
    const key = nameKey(wire);
    const node = nodes.get(key) ?? { wire, sets: new Map<number, RecordSet>() };
    nodes.set(key, node);
    return node;
  };
  for (const record of records) {
    const wire = encodeName(record.name);
    const depth = depthBelow(wire, apexKey);
    if (depth === undefined) throw new RangeError(`${record.name} is not in the zone ${origin}.`);
    // The names between a record's and the apex exist as well.
    for (const offset of labelOffsets(wire).slice(0, depth + 1)) nodeAt(wire.subarray(offset));
    const node = nodeAt(wire);
    const type = TYPES[record.type];
    const set = node.sets.get(type);
    if (set && set.ttl !== record.ttl)
      throw new RangeError(`The ${record.type} records of ${record.name} have different TTLs.`);
    const data = recordData(record);
    // The same record twice is one (RFC 2181, section 5).
    if (set?.data.some((one) => one.equals(data))) continue;
    node.sets.set(type, { type, ttl: record.ttl, data: [...(set?.data ?? []), data] });
    if (record.type === 'CNAME') node.target = encodeName(record.data);
    if (record.type === 'NS' && depth > 0)
      throw new RangeError(`${record.name} is delegated, which a zone of this server cannot do.`);
  }
  for (const { sets } of nodes.values()) {
    const isAlone = sets.size === 1 && sets.get(TYPES.CNAME)?.data.length === 1;
    if (sets.has(TYPES.CNAME) && !isAlone)
      throw new RangeError(`${origin} has a CNAME that is not alone at its name.`);
  }
  const { sets } = nodes.get(apexKey) ?? {};
  const soa = sets?.get(TYPES.SOA);
  if (soa?.data.length !== 1 || !sets?.has(TYPES.NS))
    throw new RangeError(`${origin} needs one SOA record, and NS records.`);
  const minimum = (soa.data[0] as Buffer).readUInt32BE((soa.data[0] as Buffer).length - 4);
  const negativeSoa = { ...soa, ttl: Math.min(soa.ttl, minimum) };
  return { apex, apexKey, nodes, negativeSoa };
}

/** How many labels a name has in front of the apex; undefined where it is not in the zone. */
export function depthBelow(wire: Buffer, apexKey: string): number | undefined {
  const offsets = [...labelOffsets(wire), wire.length - 1];
  const depth = offsets.indexOf(wire.length - apexKey.length);
  return depth >= 0 && nameKey(wire.subarray(wire.length - apexKey.length)) === apexKey
    ? depth
    : undefined;
}

/** In a message of one record: the header, the root as its name, then type, class, TTL and length. */
const DATA_OFFSET = 12 + 1 + 10;

function recordData(record: ZoneRecord): Buffer {
  return encode({ answers: [asAnswer(record)] }).subarray(DATA_OFFSET);
}

function asAnswer(record: ZoneRecord): Answer {
  const name = '.';
  switch (record.type) {
    case 'NS':
    case 'CNAME':
      // Checks the name: the library would write any.
      encodeName(record.data);
      return { type: record.type, name, data: record.data };
    case 'SOA':
      encodeName(record.data.mname);
      encodeName(record.data.rname);
      return { type: 'SOA', name, data: record.data };
    case 'TXT':
      return { type: 'TXT', name, data: textStrings(record.data) };
    case 'CAA':
      // The library's type knows three tags, and there are more.
      return { type: 'CAA', name, data: record.data as Answer & never };
    default:
      return { type: record.type, name, data: record.data };
  }
}
