import { isPrintable } from '../accounts/account-input.ts';
import { invalidRequest } from '../api-error.ts';

const MAX_NAME_LENGTH = 255;

/** A group's name as people write it: 1 to 255 characters. Throws ApiError for another. */
export function readGroupName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (!isPrintable(name, MAX_NAME_LENGTH)) {
    throw invalidRequest(
      `name must be 1 to ${MAX_NAME_LENGTH} characters long, without control characters.`,
    );
  }
  return name;
}

/** What two names have in common that are the same but for case: letters that can be encoded in two ways are one. */
export function sameName(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

/** What two names have in common that people take for the same: no two groups have it. */
export function groupNameKey(name: string): string {
  return name.trim().normalize('NFKC').toLowerCase();
}
