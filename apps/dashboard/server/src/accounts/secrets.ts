import { hash, randomBytes } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** A random name of `length` characters of a-z and 2-7: five bits each, good in host names and paths. */
export function randomId(length: number): string {
  return idOfBytes(randomBytes(length));
}

/** A character of a-z and 2-7 for each byte, of which five bits count. */
export function idOfBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => ALPHABET[byte & 31]).join('');
}

/** A secret of 256 bits for a link, a cookie or a token. */
export function makeSecret(prefix = ''): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** What is stored of a secret. It has 256 random bits, so it needs neither salt nor stretching. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}
