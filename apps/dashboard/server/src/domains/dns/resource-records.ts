import { SocketAddress } from 'node:net';
import { type MessageReader, messageReader } from './message-reader.ts';
import type { RecordType, ResourceRecord } from './outcome.ts';

/** The most records that are read in one message. */
const MAX_RECORDS = 300;

/** The positions of the counts of answer and authority records in the header. */
const ANSWERS_AT = 6;
const AUTHORITIES_AT = 8;

const TYPES: Readonly<Record<number, RecordType>> = {
  1: 'A',
  2: 'NS',
  5: 'CNAME',
  6: 'SOA',
  15: 'MX',
  16: 'TXT',
  28: 'AAAA',
  257: 'CAA',
};

const INTERNET = 1;

export interface Sections {
  /** The answer section, without records of types that are never queried here. */
  readonly records: readonly ResourceRecord[];
  readonly negativeTtl: number | undefined;
  /** The NS records of the authority section. */
  readonly referral: readonly ResourceRecord[];
}

/**
 * Reads the sections after the question, which ends at `start`; undefined where they are malformed or too long. The
 * additional section is not needed.
 */
export function readSections(message: Buffer, start: number): Sections | undefined {
  const answers = message.readUInt16BE(ANSWERS_AT);
  const authorities = message.readUInt16BE(AUTHORITIES_AT);
  if (answers + authorities > MAX_RECORDS) return undefined;
  const reader = messageReader(message, start);
  const records: ResourceRecord[] = [];
  const referral: ResourceRecord[] = [];
  let negativeTtl: number | undefined;
  try {
    for (let i = 0; i < answers + authorities; i++) {
      const { record, minimum } = readRecord(reader);
      if (record && i < answers) records.push(record);
      if (record?.type === 'NS' && i >= answers) referral.push(record);
      // RFC 2308, section 5: the lesser of the SOA record's own TTL and its last field.
      if (record && i >= answers && minimum !== undefined) {
        negativeTtl ??= Math.min(record.ttl, minimum);
      }
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return { records, negativeTtl, referral };
}

interface Read {
  readonly record: ResourceRecord | undefined;
  /** The last field of an SOA record. */
  readonly minimum?: number;
}

function readRecord(reader: MessageReader): Read {
  const name = reader.name();
  const type = TYPES[reader.uint16()];
  const isInternet = reader.uint16() === INTERNET;
  // RFC 2181, section 8: the highest bit has no meaning.
  const ttl = reader.uint32() & 0x7fff_ffff;
  const length = reader.uint16();
  if (type === undefined || !isInternet) {
    reader.bytes(length);
    return { record: undefined };
  }
  const end = reader.offset + length;
  const { value, ...more } = readData(reader, type, length);
  if (reader.offset !== end) throw new RangeError('a record is longer or shorter than it says');
  return { record: { name, type, ttl, value }, ...more };
}

interface RecordData {
  /** As a ResourceRecord has it. */
  readonly value: string;
  /** The last field of an SOA record. */
  readonly minimum?: number;
}

/** Reads the data of a record, `length` bytes. Throws a RangeError where it is malformed. */
function readData(reader: MessageReader, type: RecordType, length: number): RecordData {
  switch (type) {
    case 'A':
      return { value: reader.bytes(4).join('.') };
    case 'AAAA':
      return { value: plainV6(reader) };
    case 'CNAME':
    case 'NS':
      return { value: reader.name() };
    case 'MX': {
      const preference = reader.uint16();
      return { value: `${preference} ${reader.name()}` };
    }
    case 'SOA':
      return readSoa(reader);
    case 'TXT':
      return { value: readTexts(reader, length) };
    case 'CAA':
      return { value: readCaa(reader, length) };
  }
}

/** In the canonical form (RFC 5952). */
function plainV6(reader: MessageReader): string {
  const groups = Array.from({ length: 8 }, () => reader.uint16().toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

/** RFC 1035, section 3.3.13. */
function readSoa(reader: MessageReader): RecordData {
  reader.name();
  reader.name();
  const value = `${reader.uint32()}`;
  // Refresh, retry and expire are for the servers of the zone.
  reader.bytes(12);
  return { value, minimum: reader.uint32() };
}

/** Joins strings of up to 255 bytes; before each one is its length. */
function readTexts(reader: MessageReader, length: number): string {
  const end = reader.offset + length;
  const parts: Buffer[] = [];
  while (reader.offset < end) parts.push(reader.bytes(reader.uint8()));
  return Buffer.concat(parts).toString();
}

/** RFC 8659, section 4.1. */
function readCaa(reader: MessageReader, length: number): string {
  const flags = reader.uint8();
  const tag = reader.bytes(reader.uint8()).toString('latin1');
  const rest = length - 2 - tag.length;
  if (rest < 0) throw new RangeError('a tag is too long');
  // Tags consist of letters and digits. Any other byte is replaced, so that the text cannot be misread.
  return `${flags} ${tag.replace(/[^\x21-\x7e]|"/g, '?')} "${reader.bytes(rest).toString()}"`;
}
