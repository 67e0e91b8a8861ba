import {
  AUTHORITATIVE_ANSWER,
  type DecodedPacket,
  decode,
  encode,
  type Packet,
  type Question,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import type { Reply } from './answer.ts';

/** The limit of an answer over UDP: 512 bytes without EDNS; with it, a size that is fragmented nowhere. */
const PLAIN_BYTES = 512;
const MAX_BYTES = 1_232;

const RCODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;

const FORMERR = 1;

export interface Query {
  readonly id: number;
  readonly question: Question;
  readonly isRecursive: boolean;
  readonly hasEdns: boolean;
  /** The longest answer over UDP, in bytes. */
  readonly maxBytes: number;
}

/** The query in a message; undefined where the bytes are not a query with exactly one question. */
export function readQuery(message: Buffer): Query | undefined {
  let packet: DecodedPacket;
  try {
    packet = decode(message);
  } catch {
    return undefined;
  }
  const [question, ...more] = packet.questions ?? [];
  if (packet.flag_qr || !question || more.length > 0) return undefined;
  const edns = packet.additionals?.find((record) => record.type === 'OPT');
  const maxBytes = Math.min(MAX_BYTES, Math.max(PLAIN_BYTES, edns?.udpPayloadSize ?? 0));
  return {
    id: packet.id ?? 0,
    question,
    isRecursive: packet.flag_rd,
    hasEdns: edns !== undefined,
    maxBytes,
  };
}

export function writeReply(query: Query, reply: Reply): Buffer {
  return encode({
    ...header(query, RCODES[reply.rcode] | (reply.isAuthoritative ? AUTHORITATIVE_ANSWER : 0)),
    answers: [...reply.answers],
    authorities: [...reply.authorities],
    additionals: [...reply.additionals],
  });
}

/** The response that says that the query cannot be read. */
export function writeFormatError(query: Query): Buffer {
  return encode(header(query, FORMERR));
}

/** The response that tells the client to ask again over TCP. */
export function writeTruncated(query: Query): Buffer {
  return encode(header(query, TRUNCATED_RESPONSE));
}

function header({ id, question, isRecursive }: Query, flags: number): Packet {
  const recursion = isRecursive ? RECURSION_DESIRED | RECURSION_AVAILABLE : 0;
  return { type: 'response', id, flags: flags | recursion, questions: [question] };
}
