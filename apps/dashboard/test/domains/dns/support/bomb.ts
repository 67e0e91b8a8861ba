import { encode, type Question } from 'dns-packet';

/** As the wire has types (RFC 1035, section 3.2.2). */
const TYPES: Record<string, number> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  CAA: 257,
};

/** A record: its name and data in bytes. */
function record(name: Buffer, type: string, data: Buffer): Buffer {
  const middle = Buffer.alloc(10);
  middle.writeUInt16BE(TYPES[type] ?? 0, 0);
  middle.writeUInt16BE(1, 2);
  middle.writeUInt32BE(60, 4);
  middle.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, middle, data]);
}

function name(labels: readonly string[]): Buffer {
  const parts = labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`));
  return Buffer.concat([...parts, Buffer.alloc(1)]);
}

export interface BombOptions {
  /** The message is at most so long. */
  readonly bytes: number;
  /** Of the records; each is at a name of 120 labels by a pointer, and leads to one where it can. */
  readonly type: string;
}

/** An answer of as many records as go in, each of which points to a name that is very long to read. */
export function bomb(id: number, question: Question, { bytes, type }: BombOptions): Buffer {
  const head = encode({ type: 'response', id, flags: 0x400, questions: [question] });
  const long = name(Array<string>(120).fill('a'));
  const [soa, first] = [
    record(
      Buffer.from([0xc0, 12]),
      'SOA',
      Buffer.concat([name(['a']), name(['b']), Buffer.alloc(20)]),
    ),
    record(name(['x']), 'CNAME', long),
  ];
  const parts = question.type === 'SOA' ? [head, soa, first] : [head, first];
  let length = Buffer.concat(parts).length;
  let records = parts.length - 1;
  const from = length - long.length;
  for (let i = 0; ; i++) {
    // Each time another of the labels, so that remembering one name is of no help.
    const at = from + 2 * (i % 119);
    const pointer = Buffer.from([0xc0 | (at >> 8), at & 255]);
    const data = type === 'MX' ? Buffer.concat([Buffer.alloc(2), pointer]) : pointer;
    const next = record(pointer, type, data);
    if (length + next.length > bytes) break;
    parts.push(next);
    length += next.length;
    records += 1;
  }
  const message = Buffer.concat(parts);
  message.writeUInt16BE(records, 6);
  return message;
}

/** Blanks between two letters, in the place of a text. */
const BLANKS = Buffer.from(`a${' '.repeat(200)}b`);

const SELF = Buffer.from([0xc0, 12]);

/** Of each type something that can be read, and is different each time where it can be. */
const DATA: Record<string, (i: number) => Buffer> = {
  A: (i) => Buffer.from([198, 51, i >> 8, i & 255]),
  AAAA: (i) => Buffer.concat([Buffer.from([0x20, 1, i >> 8, i & 255]), Buffer.alloc(12)]),
  TXT: () => Buffer.concat([Buffer.from([BLANKS.length]), BLANKS]),
  MX: (i) => Buffer.concat([Buffer.from([i >> 8, i & 255]), SELF]),
  CAA: () => Buffer.concat([Buffer.from([0, 5]), Buffer.from('issue'), BLANKS, BLANKS]),
  SOA: () => Buffer.concat([SELF, SELF, Buffer.alloc(20)]),
};

/** An answer that can be read, with as many records of the type asked for as may be. */
export function flood(id: number, question: Question, bytes: number): Buffer {
  const head = encode({ type: 'response', id, flags: 0x400, questions: [question] });
  const data = DATA[question.type] ?? (() => SELF);
  const parts = [head];
  for (let i = 0, length = head.length; i < (question.type === 'SOA' ? 1 : 300); i++) {
    const next = record(SELF, question.type, data(i));
    length += next.length;
    if (length > bytes) break;
    parts.push(next);
  }
  const message = Buffer.concat(parts);
  message.writeUInt16BE(parts.length - 1, 6);
  return message;
}
