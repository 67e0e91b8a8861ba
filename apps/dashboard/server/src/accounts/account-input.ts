import { invalidRequest } from '../api-error.ts';

const MAX_EMAIL_LENGTH = 254;

/**
 * An e-mail address as it is stored and compared: trimmed, in lower case. Throws ApiError for an invalid one. Whether
 * anyone reads mail there is not checked.
 */
export function readEmail(text: string): string {
  const email = text.trim().normalize('NFC').toLowerCase();
  const isUsable =
    email.length <= MAX_EMAIL_LENGTH &&
    /^[^\s@"(),:;<>[\\\]\p{C}]{1,64}@[^\s@"(),:;<>[\\\]\p{C}]+$/u.test(email);
  if (!isUsable) throw invalidRequest('email must be an e-mail address, such as name@example.com.');
  return email;
}

const MAX_NAME_LENGTH = 100;

/** Zero-width joiners: some scripts and emoji need them. */
const JOINERS = /[\u200c\u200d]/g;

/** Whether a text has 1 to `most` characters, none of which is a control character. */
export function isPrintable(text: string, most: number): boolean {
  const length = [...text].length;
  return length >= 1 && length <= most && !/\p{C}/u.test(text.replace(JOINERS, ''));
}

/** A name as people write it, without control characters. */
export function readName(text: string): string {
  const name = text.trim();
  if (!isPrintable(name, MAX_NAME_LENGTH)) {
    throw invalidRequest(
      `name must be 1 to ${MAX_NAME_LENGTH} characters long, without control characters.`,
    );
  }
  return name;
}
