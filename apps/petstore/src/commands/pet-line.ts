import { ApiError } from '@petstore/http/errors.ts';
import { payloadTooLarge } from '../http/api-error.ts';
import { parseJsonBody } from '../http/json-body.ts';
import { MAX_BODY_BYTES } from '../http/limits.ts';
import { validator } from '../http/validation.ts';
import { PetLine, PetStatus, withDefaults } from '../pets/pet.ts';
import type { ImportedPet } from '../store/contract/pet-store.ts';

/** Longest line of a file of animals, in bytes: what the service takes as a body. */
export const MAX_LINE_BYTES = MAX_BODY_BYTES;

const validate = validator(PetLine, { [PetStatus.$id]: PetStatus }, { isText: false });

/**
 * Reads a line as strictly as the service reads a body. Where it is not an animal, it returns the message that the
 * service would send.
 */
export function readPetLine({ bytes }: Pick<Line, 'bytes'>): ImportedPet | { refused: string } {
  try {
    if (bytes === undefined) throw payloadTooLarge(MAX_LINE_BYTES);
    const result = validate(parseJsonBody(bytes));
    if ('error' in result) throw result.error;
    const { id, ...pet } = result.value as PetLine;
    return { id, ...withDefaults(pet) };
  } catch (error) {
    if (error instanceof ApiError) return { refused: error.message };
    throw error;
  }
}

/** A line of a file, without its end. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Undefined where the line is longer than `maxBytes`. */
  readonly bytes: Buffer | undefined;
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Cuts a stream into lines, which end in LF or CRLF; the last one may lack its end. Holds no more
 * than one chunk and `maxBytes` at a time, however long a line is.
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Line> {
  let number = 1;
  /** The beginning of a line whose end has not arrived. One byte more than `maxBytes` is enough of it. */
  let begun: Buffer[] = [];
  let length = 0;
  const begin = (bytes: Buffer) => {
    // The CR of a line that is just long enough is counted too, so there is room for it.
    if (length <= maxBytes + 1) begun.push(bytes);
    length += bytes.length;
  };
  const finish = (bytes: Buffer): Line => {
    begin(bytes);
    const line = length > maxBytes + 1 ? undefined : withoutCr(Buffer.concat(begun));
    begun = [];
    length = 0;
    return { number: number++, bytes: line && line.length > maxBytes ? undefined : line };
  };

  for await (const chunk of chunks) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LF, start);
      if (end < 0) break;
      yield finish(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) begin(chunk.subarray(start));
  }
  if (length > 0) yield finish(Buffer.alloc(0));
}

function withoutCr(line: Buffer): Buffer {
  return line.at(-1) === CR ? line.subarray(0, -1) : line;
}
