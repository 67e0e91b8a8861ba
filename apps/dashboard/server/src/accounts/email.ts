import { invalid } from '../api-error.ts';

const MAX_LENGTH = 254;

/**
 * An address as it is stored and compared: without space around it, in lower case. Throws ApiError for
 * what cannot be one; whether someone reads mail there is not known.
 */
export function readEmail(text: string): string {
  const email = text.trim().normalize('NFC').toLowerCase();
  const isUsable =
    email.length <= MAX_LENGTH &&
    /^[^\s@"(),:;<>[\\\]\p{C}]{1,64}@[^\s@"(),:;<>[\\\]\p{C}]+$/u.test(email);
  if (!isUsable) throw invalid('email must be an e-mail address, such as name@example.com.');
  return email;
}
