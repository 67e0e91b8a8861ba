import { messageReader } from '../message-reader.ts';
import type { ExtendedError } from '../outcome.ts';

/** Positions of the counts of records in the header, after that of questions. */
const COUNTS_AT = [6, 8, 10];

/** The most records that are read before the OPT record. */
const MAX_RECORDS = 300;

const OPT = 41;
const EXTENDED_ERROR = 15;

/** How much text of others is kept. */
const MAX_TEXT = 200;

/** Whether a code says that DNSSEC validation fails (RFC 8914, section 4). */
export function saysBogus(code: number): boolean {
  return code >= 6 && code <= 12;
}

/** The extended errors of a response whose question ends at `start` (RFC 8914); none where it cannot be read. */
export function readExtendedErrors(message: Buffer, start: number): ExtendedError[] {
  const records = COUNTS_AT.reduce((sum, at) => sum + message.readUInt16BE(at), 0);
  const reader = messageReader(message, start);
  const errors: ExtendedError[] = [];
  try {
    for (let i = 0; i < Math.min(records, MAX_RECORDS); i++) {
      reader.name();
      const type = reader.uint16();
      reader.bytes(6);
      const end = reader.uint16() + reader.offset;
      if (type !== OPT) reader.bytes(end - reader.offset);
      while (reader.offset < end) {
        const option = reader.uint16();
        const data = reader.bytes(reader.uint16());
        if (option !== EXTENDED_ERROR || data.length < 2) continue;
        const text = data.subarray(2).toString().replace(/\0+$/, '').slice(0, MAX_TEXT);
        errors.push({ code: data.readUInt16BE(0), text });
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return errors;
}
