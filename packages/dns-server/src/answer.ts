import { labelOffsets, nameKey } from './names.ts';
import { CLASS_IN, type Question, RCODES, type Rcode } from './read-query.ts';
import { depthBelow, type RecordSet, TYPES, type ZoneIndex, type ZoneNode } from './zone.ts';

/** What the server says to a question. */
export interface Answer {
  readonly rcode: Rcode;
  readonly isAuthoritative: boolean;
  readonly answers: readonly OwnedSet[];
  readonly authorities: readonly OwnedSet[];
  /** May be left out where they do not fit (RFC 2181, section 9). */
  readonly additionals: readonly OwnedSet[];
}

export interface OwnedSet {
  /** A name's bytes; or how many bytes at the end of the question's name it is, which keeps its capital letters. */
  readonly owner: number | Buffer;
  readonly set: RecordSet;
}

/** Types of questions that are no types of records. */
const ANY = 255;
const AXFR = 252;
const IXFR = 251;
const FIRST_META = 128;

/** Aliases are followed so far within the zone; a loop ends there. */
const MAX_ALIASES = 8;

/** The answer of an authoritative server that has this zone alone (RFC 1034, section 4.3.2). */
export function answer(zone: ZoneIndex, question: Question): Answer {
  const { type } = question;
  if (question.class !== CLASS_IN) return refusal(RCODES.REFUSED);
  if (type === AXFR || type === IXFR) return refusal(RCODES.REFUSED);
  // MAILA, TKEY and others, and OPT, which is in the additional section alone.
  if ((type >= FIRST_META && type < ANY) || type === 41) return refusal(RCODES.NOTIMP);
  if (depthBelow(question.name, zone.apexKey) === undefined) return refusal(RCODES.REFUSED);
  return follow(zone, question);
}

function follow(zone: ZoneIndex, { name, type }: Question): Answer {
  const answers: OwnedSet[] = [];
  let owner: OwnedSet['owner'] = name.length;
  let at = name;
  for (let aliases = 0; ; aliases += 1) {
    const node = findNode(zone, at);
    if (!node) return negative(zone, RCODES.NXDOMAIN, answers);
    const { target } = node;
    const found = chooseSet(node, type);
    if (!found) return negative(zone, RCODES.NOERROR, answers);
    answers.push({ owner, set: found });
    const isEnd = !target || type === TYPES.CNAME || type === ANY || aliases === MAX_ALIASES;
    // Where the alias leaves the zone, the resolver asks elsewhere.
    if (isEnd || depthBelow(target, zone.apexKey) === undefined) {
      const additionals = found.type === TYPES.NS ? glue(zone, found) : [];
      return { ...positive, answers, authorities: [], additionals };
    }
    at = target;
    owner = target;
  }
}

/** The name itself, or the wildcard that stands for it (RFC 4592, section 3.3.1); undefined: there is no such name. */
function findNode({ nodes, apexKey }: ZoneIndex, name: Buffer): ZoneNode | undefined {
  const key = nameKey(name);
  const exact = nodes.get(key);
  if (exact) return exact;
  for (const offset of labelOffsets(name).slice(1)) {
    const encloser = key.slice(offset);
    if (nodes.has(encloser)) return nodes.get(`\u0001*${encloser}`);
    if (encloser === apexKey) break;
  }
  return undefined;
}

/** To ANY one set is enough, the smallest (RFC 8482, section 4.1). An alias is answered to every type. */
function chooseSet({ sets }: ZoneNode, type: number): RecordSet | undefined {
  if (type !== ANY) return sets.get(type) ?? sets.get(TYPES.CNAME);
  return [...sets.values()].sort((a, b) => sizeOf(a) - sizeOf(b))[0];
}

function sizeOf({ data }: RecordSet): number {
  return data.reduce((sum, { length }) => sum + length, 0);
}

/** The addresses of name servers that are in the zone. */
function glue({ nodes }: ZoneIndex, { data }: RecordSet): OwnedSet[] {
  return data.flatMap((server) => {
    const node = nodes.get(nameKey(server));
    const sets = [node?.sets.get(TYPES.A), node?.sets.get(TYPES.AAAA)];
    return sets.flatMap((set) => (set ? [{ owner: server, set }] : []));
  });
}

const positive = { rcode: RCODES.NOERROR, isAuthoritative: true } as const;

/** The SOA says how long the absence holds (RFC 2308, section 3). */
function negative(zone: ZoneIndex, rcode: Rcode, answers: readonly OwnedSet[]): Answer {
  const authorities = [{ owner: zone.apex.length, set: zone.negativeSoa }];
  return { rcode, isAuthoritative: true, answers, authorities, additionals: [] };
}

function refusal(rcode: Rcode): Answer {
  return { rcode, isAuthoritative: false, answers: [], authorities: [], additionals: [] };
}
