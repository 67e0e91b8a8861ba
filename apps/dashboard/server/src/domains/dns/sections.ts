import { type MessageReader, messageReader } from './message-reader.ts';
import type { RecordType, Resource } from './outcome.ts';
import { readData } from './record-data.ts';

/** More records than this in one answer are nobody's intention. */
const MAX_RECORDS = 300;

/** In a message, where records count for answers and for authority. */
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
  /** The answers, without those of types that are not asked for here. */
  readonly records: readonly Resource[];
  readonly negativeTtl: number | undefined;
}

/**
 * What a message has behind its question, which ends at `start`; undefined where that cannot be read
 * or is too much. The additional records are of no interest.
 */
export function readSections(message: Buffer, start: number): Sections | undefined {
  const answers = message.readUInt16BE(ANSWERS_AT);
  const authorities = message.readUInt16BE(AUTHORITIES_AT);
  if (answers + authorities > MAX_RECORDS) return undefined;
  const reader = messageReader(message, start);
  const records: Resource[] = [];
  let negativeTtl: number | undefined;
  try {
    for (let i = 0; i < answers + authorities; i++) {
      const { record, minimum } = readRecord(reader);
      if (record && i < answers) records.push(record);
      // RFC 2308, section 5: the lesser of the SOA record's own TTL and its last field.
      if (record && i >= answers && minimum !== undefined) {
        negativeTtl ??= Math.min(record.ttl, minimum);
      }
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return { records, negativeTtl };
}

interface Read {
  readonly record: Resource | undefined;
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
