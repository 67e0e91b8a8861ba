import type { MessageReader } from '../message-reader.ts';

/** The types that the chain of trust consists of, by their numbers. */
export const TYPE = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  DS: 43,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  NSEC3: 50,
  CAA: 257,
} as const;

/** The records of a type at a name, with the signatures over them. */
export interface RrSet {
  readonly name: string;
  /** The name in wire form, in lower case. */
  readonly owner: Buffer;
  readonly type: number;
  /** The data of each record in canonical form (RFC 4034, section 6.2). */
  readonly data: readonly Buffer[];
  readonly signatures: readonly Signature[];
}

/** An RRSIG record (RFC 4034, section 3.1). */
export interface Signature {
  readonly algorithm: number;
  /** Labels of the signed name, without the root and without `*`. */
  readonly labels: number;
  readonly originalTtl: number;
  /** Seconds since 1970, modulo 2^32. */
  readonly expiration: number;
  readonly inception: number;
  readonly keyTag: number;
  /** The zone. */
  readonly signer: string;
  /** The record's data in front of the signature, over which it is made, too. */
  readonly fields: Buffer;
  readonly bytes: Buffer;
}

/** The most records of a section that are read. */
const MAX_RECORDS = 200;

interface Part {
  readonly name: string;
  readonly owner: Buffer;
  readonly type: number;
  readonly data: Buffer | { readonly covered: number; readonly signature: Signature };
}

/** Reads the next `count` records. Throws a RangeError where they are malformed, or too many. */
export function readRrSets(reader: MessageReader, count: number): RrSet[] {
  if (count > MAX_RECORDS) throw new RangeError('too many records');
  const sets = new Map<string, RrSet & { data: Buffer[]; signatures: Signature[] }>();
  for (let i = 0; i < count; i++) {
    const { name, owner, type, data } = readPart(reader);
    const of = Buffer.isBuffer(data) ? type : data.covered;
    const key = `${of} ${name}`;
    const set = sets.get(key) ?? { name, owner, type: of, data: [], signatures: [] };
    if (Buffer.isBuffer(data)) set.data.push(data);
    else set.signatures.push(data.signature);
    sets.set(key, set);
  }
  return [...sets.values()];
}

function readPart(reader: MessageReader): Part {
  const owner = reader.wireName();
  const name = nameOf(owner);
  const type = reader.uint16();
  reader.bytes(6);
  const length = reader.uint16();
  const end = reader.offset + length;
  const data = type === TYPE.RRSIG ? readSignature(reader, end) : readData(reader, type, length);
  if (reader.offset !== end) throw new RangeError('a record is longer or shorter than it says');
  return { name, owner, type, data };
}

function readData(reader: MessageReader, type: number, length: number): Buffer {
  switch (type) {
    case TYPE.CNAME:
    case TYPE.NS:
      return reader.wireName();
    case TYPE.MX:
      return Buffer.concat([reader.bytes(2), reader.wireName()]);
    case TYPE.SOA:
      return Buffer.concat([reader.wireName(), reader.wireName(), reader.bytes(20)]);
    default:
      return reader.bytes(length);
  }
}

function readSignature(reader: MessageReader, end: number) {
  const head = reader.bytes(18);
  const signer = reader.wireName();
  const bytes = reader.bytes(end - reader.offset);
  const signature: Signature = {
    algorithm: head.readUInt8(2),
    labels: head.readUInt8(3),
    originalTtl: head.readUInt32BE(4),
    expiration: head.readUInt32BE(8),
    inception: head.readUInt32BE(12),
    keyTag: head.readUInt16BE(16),
    signer: nameOf(signer),
    fields: Buffer.concat([head, signer]),
    bytes,
  };
  return { covered: head.readUInt16BE(0), signature };
}

/** The labels of a name in wire form. */
export function labelsOf(owner: Buffer): Buffer[] {
  const labels: Buffer[] = [];
  for (let at = 0; ; ) {
    const size = owner[at] ?? 0;
    if (size === 0) return labels;
    labels.push(owner.subarray(at + 1, at + 1 + size));
    at += 1 + size;
  }
}

/** A name in wire form as people read it, without a last dot: '' is the root. */
function nameOf(owner: Buffer): string {
  return labelsOf(owner)
    .map((label) => label.toString('latin1').replace(/[^\x21-\x2d\x2f-\x7e]/g, '?'))
    .join('.');
}

/** A name as a question has it, in wire form. */
export function wireNameOf(name: string): Buffer {
  const labels = name === '' ? [] : name.toLowerCase().split('.');
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.of(label.length), Buffer.from(label, 'latin1')]),
    Buffer.alloc(1),
  ]);
}

export function setAt(sets: readonly RrSet[], name: string, type: number): RrSet | undefined {
  return sets.find((set) => set.name === name && set.type === type && set.data.length > 0);
}
