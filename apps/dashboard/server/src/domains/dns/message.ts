import { randomInt } from 'node:crypto';
import { type Answer, encode, type Packet, RECURSION_DESIRED } from 'dns-packet';
import type { Outcome, RecordType } from './outcome.ts';
import { readSections } from './resource-records.ts';

export interface Question {
  readonly name: string;
  readonly type: RecordType;
  /** The query is for a resolver, and not for a zone's own server. */
  readonly isRecursive: boolean;
}

/** A UDP message of this size is not fragmented. */
export const MAX_UDP_BYTES = 1_232;

const HEADER_BYTES = 12;

/** In the header's flags (RFC 1035, section 4.1.1). */
const RESPONSE = 0x8000;
const OPCODE_MASK = 0x7800;
const TRUNCATED = 0x0200;
const RCODE_MASK = 0x000f;

export interface Query {
  readonly id: number;
  readonly question: Question;
  readonly bytes: Buffer;
  /** The question section, which the response repeats. */
  readonly questionBytes: Buffer;
}

/** A query message with a random id. `edns`: old servers fail at it. */
export function writeQuery(question: Question, { edns }: { edns: boolean }): Query {
  const id = randomInt(65_536);
  const packet: Packet = {
    type: 'query',
    id,
    flags: question.isRecursive ? RECURSION_DESIRED : 0,
    questions: [{ name: question.name, type: question.type }],
  };
  const questionBytes = encode(packet).subarray(HEADER_BYTES);
  const bytes = encode({ ...packet, additionals: edns ? [OPT] : [] });
  return { id, question, bytes, questionBytes };
}

const OPT: Answer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: MAX_UDP_BYTES,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

/**
 * Reads the response to a query: `foreign` where it is for another query, `truncated` where the whole response has to
 * be fetched over TCP. The message is untrusted: its id and question are compared first, and its records are read
 * within bounds. Never throws.
 */
export function readAnswer(query: Query, message: Buffer): Outcome | 'foreign' | 'truncated' {
  if (message.length < HEADER_BYTES) return { kind: 'malformed' };
  const flags = message.readUInt16BE(2);
  if ((flags & RESPONSE) === 0 || (flags & OPCODE_MASK) !== 0) return { kind: 'malformed' };
  const end = HEADER_BYTES + query.questionBytes.length;
  const repeated = message.subarray(HEADER_BYTES, end);
  const isOne = message.readUInt16BE(4) === 1;
  if (message.readUInt16BE(0) !== query.id || !isOne || !isSame(repeated, query.questionBytes)) {
    return 'foreign';
  }
  if ((flags & TRUNCATED) !== 0) return 'truncated';
  const rcode = flags & RCODE_MASK;
  if (rcode === 1) return { kind: 'malformed' };
  if (rcode === 2) return { kind: 'servfail' };
  if (rcode !== 0 && rcode !== 3) return { kind: 'refused' };
  const sections = readSections(message, end);
  if (!sections) return { kind: 'malformed' };
  const { records, negativeTtl, referral } = sections;
  if (records.some(({ type }) => type === query.question.type)) return { kind: 'found', records };
  const kind = rcode === 3 ? 'nxdomain' : 'nodata';
  return { kind, records, negativeTtl, ...(referral.length > 0 && { referral }) };
}

/**
 * A server may change the case of names. The comparison has no effect on lengths, types and classes: none is a letter.
 */
function isSame(repeated: Buffer, sent: Buffer): boolean {
  return repeated.toString('latin1').toLowerCase() === sent.toString('latin1').toLowerCase();
}
