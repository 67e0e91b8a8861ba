import type { Answer } from 'dns-packet';
import type { Zone } from './zone.ts';
import { isAtOrBelow, parentOf, plainName, wireRecord, type ZoneRecord } from './zone-record.ts';

/** The response of a server, before it is encoded. */
export interface Reply {
  readonly rcode: 'NOERROR' | 'SERVFAIL' | 'NXDOMAIN' | 'REFUSED';
  readonly isAuthoritative: boolean;
  readonly answers: readonly Answer[];
  readonly authorities: readonly Answer[];
  readonly additionals: readonly Answer[];
}

interface Query {
  readonly name: string;
  readonly type: string;
  /** Whether the client wants the whole answer, as from a resolver, or only what this server's zones have. */
  readonly isRecursive: boolean;
}

/** Resolvers stop at longer chains, most of them earlier. */
const MAX_HOPS = 16;

const SERVFAIL = reply('SERVFAIL');

/**
 * The answer of a server with these zones. To a recursive query it answers like a resolver for which these zones are
 * the whole DNS; to any other query like an authoritative server.
 */
export function answer(zones: readonly Zone[], query: Query): Reply {
  return resolve(zones, query, 0);
}

/** `depth`: the number of ALIAS records so far, which can form a loop, too. */
function resolve(zones: readonly Zone[], query: Query, depth: number): Reply {
  if (depth > MAX_HOPS) return SERVFAIL;
  const answers: Answer[] = [];
  const start = zoneOf(zones, plainName(query.name));
  if (!start && !query.isRecursive) return reply('REFUSED');
  let name = plainName(query.name);
  for (let hops = 0; hops <= MAX_HOPS; hops += 1) {
    const zone = zoneOf(zones, name);
    // An authoritative server stops where its zone ends, and leaves the rest to the resolver.
    if (!query.isRecursive && zone !== start) return reply('NOERROR', { answers, aa: true });
    if (!zone) return { ...outside(zones, name), answers };
    const found = lookUp(zones, zone, name, query, depth);
    answers.push(...found.answers);
    const cname = found.cname;
    if (cname === undefined) return { ...found.end, answers };
    name = cname;
  }
  return SERVFAIL;
}

interface Found {
  readonly answers: readonly Answer[];
  /** The name to go on with. */
  readonly cname?: string;
  readonly end: Reply;
}

/** RFC 1034, section 4.3.2, in one zone. */
function lookUp(
  zones: readonly Zone[],
  zone: Zone,
  name: string,
  query: Query,
  depth: number,
): Found {
  const cut = query.isRecursive ? undefined : delegation(zone, name);
  if (cut) {
    const authorities = cut.map(wireRecord);
    return { answers: [], end: reply('NOERROR', { authorities, additionals: glue(zones, cut) }) };
  }
  const here = recordsAt(zone, name);
  const aa = !query.isRecursive;
  const soa = recordsAt(zone, zone.origin)?.filter(({ type }) => type === 'SOA') ?? [];
  const authorities = soa.map(wireRecord);
  if (!here) return { answers: [], end: reply('NXDOMAIN', { authorities, aa }) };
  const matching = here.filter(({ type }) => type === query.type);
  const cname = here.find(({ type }) => type === 'CNAME');
  const alias = here.find(({ type }) => type === 'ALIAS');
  if (matching.length > 0) {
    const additionals = query.type === 'NS' ? glue(zones, matching) : [];
    return { answers: matching.map(wireRecord), end: reply('NOERROR', { additionals, aa }) };
  }
  if (cname) {
    const target = plainName(String(cname.value));
    return { answers: [wireRecord(cname)], cname: target, end: reply('NOERROR', { aa }) };
  }
  if (alias && (query.type === 'A' || query.type === 'AAAA')) {
    const flattened = flatten(zones, alias, query.type, depth);
    if (!flattened) return { answers: [], end: SERVFAIL };
    if (flattened.length > 0) return { answers: flattened, end: reply('NOERROR', { aa }) };
  }
  return { answers: [], end: reply('NOERROR', { authorities, aa }) };
}

/** An ALIAS's addresses under its own name; undefined where its target cannot be resolved. */
function flatten(
  zones: readonly Zone[],
  alias: ZoneRecord,
  type: 'A' | 'AAAA',
  depth: number,
): Answer[] | undefined {
  const target = plainName(String(alias.value));
  const resolved = resolve(zones, { name: target, type, isRecursive: true }, depth + 1);
  if (resolved.rcode !== 'NOERROR') return undefined;
  const addresses = resolved.answers.filter((record) => record.type === type);
  return addresses.map((record) => ({ ...record, name: alias.name }));
}

/** The records of a name, a wildcard's where that applies (RFC 4592); undefined: no such name. */
function recordsAt(zone: Zone, name: string): readonly ZoneRecord[] | undefined {
  const records = zone.records();
  const exists = (at: string) => records.some((record) => isAtOrBelow(record.name, at));
  if (exists(name)) return records.filter((record) => record.name === name);
  let encloser = parentOf(name);
  while (encloser !== zone.origin && !exists(encloser)) encloser = parentOf(encloser);
  const wildcards = records.filter((record) => record.name === `*.${encloser}`);
  return wildcards.length > 0 ? wildcards.map((record) => ({ ...record, name })) : undefined;
}

/** The name servers of a zone cut at or above the name, below the zone's own name. */
function delegation(zone: Zone, name: string): ZoneRecord[] | undefined {
  for (let at = name; at !== zone.origin; at = parentOf(at)) {
    const cut = zone.records().filter((record) => record.name === at && record.type === 'NS');
    if (cut.length > 0) return cut;
  }
  return undefined;
}

/** The addresses of name servers, as far as they are known here. */
function glue(zones: readonly Zone[], servers: readonly ZoneRecord[]): Answer[] {
  const names = servers.map(({ value }) => plainName(String(value)));
  const records = zones.flatMap((zone) => zone.records());
  return records
    .filter(({ name, type }) => names.includes(name) && (type === 'A' || type === 'AAAA'))
    .map(wireRecord);
}

/** The zone that a name belongs to: the one whose own name is the longest. */
function zoneOf(zones: readonly Zone[], name: string): Zone | undefined {
  return zones
    .filter(({ origin }) => isAtOrBelow(name, origin))
    .toSorted((a, b) => b.origin.length - a.origin.length)[0];
}

/** As the root would answer: a name with a zone below it exists, and nothing else does. */
function outside(zones: readonly Zone[], name: string): Reply {
  const isParent = zones.some(({ origin }) => isAtOrBelow(origin, name));
  const value = 'ns.root hostmaster.root 1 1800 900 604800 60';
  const soa = { name: '', type: 'SOA', value } as const;
  return reply(isParent ? 'NOERROR' : 'NXDOMAIN', { authorities: [wireRecord(soa)] });
}

function reply(
  rcode: Reply['rcode'],
  { aa = false, ...sections }: Partial<Reply> & { aa?: boolean } = {},
): Reply {
  const none = { answers: [], authorities: [], additionals: [] };
  return { rcode, isAuthoritative: aa, ...none, ...sections };
}
