import { ApiError } from '@petstore/http/errors.ts';
import { payloadTooLarge } from '../http/api-error.ts';
import { parseJsonBody } from '../http/json-body.ts';
import { MAX_BODY_BYTES } from '../http/limits.ts';
import { validator } from '../http/validation.ts';
import { PetLine, PetStatus, withDefaults } from '../pets/pet.ts';
import type { ImportedPet } from '../store/store.ts';
import type { Line } from './lines.ts';

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
