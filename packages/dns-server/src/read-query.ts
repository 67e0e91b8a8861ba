import { type Edns, readEdns } from './edns.ts';
import { MAX_LABEL_BYTES, MAX_NAME_BYTES, nameKey } from './names.ts';

/** Response codes (RFC 1035, section 4.1.1); BADVERS is the extended one of RFC 6891. */
export const RCODES = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
} as const;
export type Rcode = (typeof RCODES)[keyof typeof RCODES];

/** Flags of the header (RFC 1035, section 4.1.1, RFC 4035, section 3). */
export const FLAGS = {
  response: 0x8000,
  opcode: 0x7800,
  aa: 0x0400,
  tc: 0x0200,
  rd: 0x0100,
  cd: 0x0010,
};

export const HEADER_BYTES = 12;

/** A message that asks for something. */
export interface Query {
  readonly id: number;
  /** As they came. */
  readonly flags: number;
  /** undefined: the message has none. */
  readonly question?: Question | undefined;
  /** undefined: the client knows no EDNS. */
  readonly edns?: Edns | undefined;
  /** What is wrong with the message: the whole response. */
  readonly error?: Rcode;
}

export interface Question {
  /** The name with type and class, as it came: a response repeats it, with its capital letters. */
  readonly bytes: Buffer;
  readonly name: Buffer;
  readonly key: string;
  readonly type: number;
  readonly class: number;
}

/** In the class that the internet has (RFC 1035, section 3.2.4). */
export const CLASS_IN = 1;
const TYPE_OPT = 41;

/**
 * Reads a message of a client, which may be any bytes. undefined for one that gets no response: it is too short for a
 * header, or a response itself, which could go to and fro for ever.
 */
export function readQuery(message: Buffer): Query | undefined {
  if (message.length < HEADER_BYTES) return undefined;
  const id = message.readUInt16BE(0);
  const flags = message.readUInt16BE(2);
  if ((flags & FLAGS.response) !== 0) return undefined;
  // Opcodes other than QUERY, which is 0, have forms of their own.
  if ((flags & FLAGS.opcode) !== 0) return { id, flags, error: RCODES.NOTIMP };
  const broken = { id, flags, error: RCODES.FORMERR };
  const [questions, answers] = [message.readUInt16BE(4), message.readUInt16BE(6)];
  // One question (RFC 9619); none where it is for a cookie alone (RFC 7873, section 5.4).
  if (questions > 1 || answers > 0) return broken;
  const question = questions === 1 ? readQuestion(message) : undefined;
  if (questions === 1 && !question) return broken;
  const extra = readExtra(message, HEADER_BYTES + (question?.bytes.length ?? 0));
  if (!extra) return broken;
  const { edns } = extra;
  if (!question && !edns?.cookie) return broken;
  return { id, flags, question, edns };
}

/** The question. It comes first, so that there is nothing before it that its name could point to. */
function readQuestion(message: Buffer): Question | undefined {
  let at = HEADER_BYTES;
  for (let length = message[at]; length !== 0; length = message[at]) {
    if (length === undefined || length > MAX_LABEL_BYTES) return undefined;
    at += 1 + length;
  }
  at += 1;
  if (at - HEADER_BYTES > MAX_NAME_BYTES || at + 4 > message.length) return undefined;
  const name = message.subarray(HEADER_BYTES, at);
  return {
    bytes: message.subarray(HEADER_BYTES, at + 4),
    name,
    key: nameKey(name),
    type: message.readUInt16BE(at),
    class: message.readUInt16BE(at + 2),
  };
}

/**
 * Reads what follows the question: of all records only an OPT is looked at. undefined where they are not as their
 * counts say, where bytes are left, or where there are two OPT records (RFC 6891, section 6.1.1).
 */
function readExtra(message: Buffer, start: number): { edns?: Edns } | undefined {
  const authorities = message.readUInt16BE(8);
  const count = authorities + message.readUInt16BE(10);
  let edns: Edns | undefined;
  let at = start;
  for (let i = 0; i < count; i += 1) {
    const fixed = skipName(message, at);
    if (fixed === undefined || fixed + 10 > message.length) return undefined;
    const data = fixed + 10;
    const end = data + message.readUInt16BE(fixed + 8);
    if (end > message.length) return undefined;
    if (message.readUInt16BE(fixed) === TYPE_OPT) {
      const isRoot = fixed === at + 1;
      if (edns || !isRoot || i < authorities) return undefined;
      edns = readEdns(message.subarray(fixed + 2, end));
      if (!edns) return undefined;
    }
    at = end;
  }
  if (at !== message.length) return undefined;
  return edns ? { edns } : {};
}

/** Where a record's name ends. A pointer ends it, and is not followed: no record's name is of interest. */
function skipName(message: Buffer, start: number): number | undefined {
  for (let at = start; ; ) {
    const length = message[at];
    if (length === undefined) return undefined;
    if (length === 0) return at + 1;
    if (length >= 0xc0) return at + 2;
    if (length > MAX_LABEL_BYTES || at - start > MAX_NAME_BYTES) return undefined;
    at += 1 + length;
  }
}
