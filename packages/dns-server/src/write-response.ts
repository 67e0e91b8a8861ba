import type { Answer, OwnedSet } from './answer.ts';
import { UDP_BYTES, writeOpt } from './edns.ts';
import { CLASS_IN, FLAGS, HEADER_BYTES, type Query, type Rcode } from './read-query.ts';

/** The longest response over UDP for a client without EDNS, and over TCP, in bytes. */
const PLAIN_UDP_BYTES = 512;
const TCP_BYTES = 65_535;

export interface Transport {
  readonly isTcp: boolean;
  /** The cookie to send. */
  readonly cookie?: Buffer | undefined;
  /** How long the connection may be idle, in milliseconds, where the client asked. */
  readonly keepAliveMs?: number | undefined;
}

type Message = Omit<Answer, 'rcode'> & { readonly rcode: Rcode; readonly isTruncated: boolean };

const EMPTY = {
  isAuthoritative: false,
  isTruncated: false,
  ...{ answers: [], authorities: [], additionals: [] },
} as const;

/** A response without records. */
export function writeError(query: Query, rcode: Rcode, transport: Transport): Buffer {
  return write(query, { ...EMPTY, rcode }, transport);
}

/** The response that has the client ask again over TCP. */
export function writeTruncated(query: Query, transport: Transport): Buffer {
  return write(query, { ...EMPTY, rcode: 0, isTruncated: true }, transport);
}

/**
 * The response with an answer, and never longer than the client takes: additional records are left out one set after
 * another where they do not fit, and for all others it is truncated (RFC 2181, section 9).
 */
export function writeAnswer(query: Query, answer: Answer, transport: Transport): Buffer {
  const most = longest(query, transport);
  for (let kept = answer.additionals.length; kept >= 0; kept -= 1) {
    const additionals = answer.additionals.slice(0, kept);
    const bytes = write(query, { ...answer, additionals, isTruncated: false }, transport);
    if (bytes.length <= most) return bytes;
  }
  const { rcode, isAuthoritative } = answer;
  return write(query, { ...EMPTY, rcode, isAuthoritative, isTruncated: true }, transport);
}

function longest({ edns }: Query, { isTcp }: Transport): number {
  if (isTcp) return TCP_BYTES;
  return Math.min(UDP_BYTES, Math.max(PLAIN_UDP_BYTES, edns?.udpBytes ?? 0));
}

function write(query: Query, message: Message, transport: Transport): Buffer {
  const { id, question, edns } = query;
  const { rcode, answers, authorities, additionals } = message;
  // A client that knows no EDNS gets none (RFC 6891, section 7).
  const opt = edns && writeOpt({ ...transport, rcode, isDnssecOk: edns.isDnssecOk });
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(id, 0);
  head.writeUInt16BE(flagsOf(query, message), 2);
  head.writeUInt16BE(question ? 1 : 0, 4);
  head.writeUInt16BE(countOf(answers), 6);
  head.writeUInt16BE(countOf(authorities), 8);
  head.writeUInt16BE(countOf(additionals) + (opt ? 1 : 0), 10);
  const parts = [head, question?.bytes ?? Buffer.alloc(0)];
  for (const owned of [...answers, ...authorities, ...additionals]) writeSet(owned, query, parts);
  if (opt) parts.push(opt);
  return Buffer.concat(parts);
}

function flagsOf({ flags }: Query, { rcode, isAuthoritative, isTruncated }: Message): number {
  const returned = flags & (FLAGS.opcode | FLAGS.rd | FLAGS.cd);
  const own = (isAuthoritative ? FLAGS.aa : 0) | (isTruncated ? FLAGS.tc : 0);
  return FLAGS.response | returned | own | (rcode & 0xf);
}

function countOf(sets: readonly OwnedSet[]): number {
  return sets.reduce((sum, { set }) => sum + set.data.length, 0);
}

function writeSet({ owner, set }: OwnedSet, query: Query, parts: Buffer[]): void {
  const name = ownerName(owner, query);
  for (const data of set.data) {
    const fixed = Buffer.alloc(10);
    fixed.writeUInt16BE(set.type, 0);
    fixed.writeUInt16BE(CLASS_IN, 2);
    fixed.writeUInt32BE(set.ttl, 4);
    fixed.writeUInt16BE(data.length, 8);
    parts.push(name, fixed, data);
  }
}

/** Pointers into the question keep its capital letters, by which resolvers know that a response is for them. */
function ownerName(owner: OwnedSet['owner'], { question }: Query): Buffer {
  if (typeof owner !== 'number') return owner;
  const pointer = Buffer.alloc(2);
  pointer.writeUInt16BE(0xc000 | (HEADER_BYTES + (question?.name.length ?? owner) - owner));
  return pointer;
}
