import { randomInt } from 'node:crypto';
import {
  type Answer,
  AUTHENTIC_DATA,
  CHECKING_DISABLED,
  encode,
  type Packet,
  RECURSION_DESIRED,
} from 'dns-packet';
import { readExtendedErrors } from './dnssec/extended-errors.ts';
import type { Outcome, RecordType } from './outcome.ts';
import { readSections } from './resource-records.ts';

export interface Question {
  readonly name: string;
  readonly type: RecordType | 'DNSKEY' | 'DS';
  /** The query is for a resolver, and not for a zone's own server. */
  readonly isRecursive: boolean;
  /** The resolver is asked for what it has, also where its DNSSEC validation fails (RFC 4035, section 3.2.2). */
  readonly isUnchecked?: boolean;
  /** Signatures are wanted with the answer (RFC 3225). */
  readonly isSigned?: boolean;
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
    // RFC 6840, section 5.7: so asked, a resolver says whether it has validated the answer.
    flags: question.isRecursive
      ? RECURSION_DESIRED | AUTHENTIC_DATA | (question.isUnchecked ? CHECKING_DISABLED : 0)
      : 0,
    questions: [{ name: question.name, type: question.type }],
  };
  const questionBytes = encode(packet).subarray(HEADER_BYTES);
  const opt = question.isSigned ? { ...OPT, flag_do: true, flags: DNSSEC_OK } : OPT;
  const bytes = encode({ ...packet, additionals: edns ? [opt] : [] });
  return { id, question, bytes, questionBytes };
}

const DNSSEC_OK = 0x8000;

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
  const head = readHead(query, message);
  if (typeof head === 'string') return head === 'malformed' ? { kind: 'malformed' } : head;
  const { rcode, end, isAuthentic } = head;
  if (rcode === 1) return { kind: 'malformed' };
  if (rcode === 2) {
    const extended = readExtendedErrors(message, end);
    return { kind: 'servfail', ...(extended.length > 0 && { extended }) };
  }
  if (rcode !== 0 && rcode !== 3) return { kind: 'refused' };
  const sections = readSections(message, end);
  if (!sections) return { kind: 'malformed' };
  const { records, negativeTtl, referral } = sections;
  const authentic = isAuthentic && { isAuthentic };
  if (records.some(({ type }) => type === query.question.type)) {
    return { kind: 'found', records, ...authentic };
  }
  const kind = rcode === 3 ? 'nxdomain' : 'nodata';
  return { kind, records, negativeTtl, ...(referral.length > 0 && { referral }), ...authentic };
}

export interface Head {
  readonly rcode: number;
  readonly isAuthentic: boolean;
  /** Where the sections after the question begin. */
  readonly end: number;
}

/** Reads the header and the question of a response to a query. */
export function readHead(
  query: Query,
  message: Buffer,
): Head | 'malformed' | 'foreign' | 'truncated' {
  if (message.length < HEADER_BYTES) return 'malformed';
  const flags = message.readUInt16BE(2);
  if ((flags & RESPONSE) === 0 || (flags & OPCODE_MASK) !== 0) return 'malformed';
  const end = HEADER_BYTES + query.questionBytes.length;
  const repeated = message.subarray(HEADER_BYTES, end);
  const isOne = message.readUInt16BE(4) === 1;
  if (message.readUInt16BE(0) !== query.id || !isOne || !isSame(repeated, query.questionBytes)) {
    return 'foreign';
  }
  if ((flags & TRUNCATED) !== 0) return 'truncated';
  return { rcode: flags & RCODE_MASK, isAuthentic: (flags & AUTHENTIC_DATA) !== 0, end };
}

/**
 * A server may change the case of names. The comparison has no effect on lengths, types and classes: none is a letter.
 */
function isSame(repeated: Buffer, sent: Buffer): boolean {
  return repeated.toString('latin1').toLowerCase() === sent.toString('latin1').toLowerCase();
}
