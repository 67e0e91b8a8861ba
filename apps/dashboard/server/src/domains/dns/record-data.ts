import { SocketAddress } from 'node:net';
import type { MessageReader } from './message-reader.ts';
import type { RecordType } from './outcome.ts';

export interface RecordData {
  /** As a Resource has it. */
  readonly value: string;
  /** The last field of an SOA record. */
  readonly minimum?: number;
}

/** The data of a record, `length` bytes. Throws a RangeError where it is out of place. */
export function readData(reader: MessageReader, type: RecordType, length: number): RecordData {
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

/** In the one way of writing it (RFC 5952). */
function plainV6(reader: MessageReader): string {
  const groups = Array.from({ length: 8 }, () => reader.uint16().toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

/** RFC 1035, section 3.3.13. */
function readSoa(reader: MessageReader): RecordData {
  reader.name();
  reader.name();
  const value = `${reader.uint32()}`;
  // Three times that are between the servers of the zone.
  reader.bytes(12);
  return { value, minimum: reader.uint32() };
}

/** Strings of up to 255 bytes, each with its length in front, joined. */
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
  // Tags are letters and digits; another byte would make the record read as what it is not.
  return `${flags} ${tag.replace(/[^\x21-\x7e]|"/g, '?')} "${reader.bytes(rest).toString()}"`;
}
