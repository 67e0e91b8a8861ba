import { hash, randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Environment } from '../config.ts';
import { DEFAULT_SCOPES, type Scope } from './scope.ts';

// A key reads pk_live_ or pk_test_, 32 random base62 characters (190 bits), and a checksum of six.
// The prefix lets a person, and a scanner of leaked secrets, tell what it is; the checksum lets both
// tell a typo from a key without asking anyone.

const PREFIX: Record<Environment, string> = { production: 'pk_live_', staging: 'pk_test_' };
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const KEY_LENGTH = PREFIX.production.length + RANDOM_LENGTH + CHECKSUM_LENGTH;

/** The SHA-256 of a key, in base64. */
export type KeyHash = string;

/** What the store keeps of a key. The key itself is never in it. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  /** From then on it is refused; undefined for never. */
  readonly expiresAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  /** Written down once a minute, so it may be behind. */
  readonly lastUsedAt: Date | undefined;
  /** The id of the key that was made to take its place. */
  readonly replacedBy: string | undefined;
}

/** What a request needs to know of the key that it came with. */
export interface ActiveKey {
  readonly id: string;
  readonly scopes: readonly Scope[];
  /** In milliseconds since 1970; Infinity for never. */
  readonly expiresAt: number;
}

/** A key as it is made: the secret, shown once, and what the store keeps. */
export interface NewKey {
  readonly key: string;
  readonly hash: KeyHash;
  readonly record: KeyRecord;
}

export const MAX_KEY_NAME_LENGTH = 100;

/**
 * Makes a key for an environment. `name` is for people: 1 to MAX_KEY_NAME_LENGTH characters. Without
 * more, it may do all that DEFAULT_SCOPES allow, for ever.
 */
export function generateKey(
  name: string,
  environment: Environment,
  now: Date,
  { scopes = DEFAULT_SCOPES, expiresAt }: { scopes?: readonly Scope[]; expiresAt?: Date } = {},
): NewKey {
  const body =
    PREFIX[environment] +
    Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const key = body + checksum(body);
  const id = `key_${randomBytes(8).toString('hex')}`;
  return {
    key,
    hash: hashKey(key),
    record: {
      ...{ id, name, environment, scopes, createdAt: now, expiresAt },
      ...{ revokedAt: undefined, lastUsedAt: undefined, replacedBy: undefined },
    },
  };
}

/** SHA-256: enough for a secret with 190 random bits, which no dictionary holds. */
export function hashKey(key: string): KeyHash {
  return hash('sha256', key, 'base64');
}

/** Whether text is meant to be a key, of whichever environment, well formed or not. */
export function looksLikeKey(text: string): boolean {
  return Object.values(PREFIX).some((prefix) => text.startsWith(prefix));
}

/** Whether text could be a key of this environment: prefix, length, checksum. Knows no secret. */
export function isWellFormedKey(text: string, environment: Environment): boolean {
  return (
    text.length === KEY_LENGTH &&
    text.startsWith(PREFIX[environment]) &&
    text.endsWith(checksum(text.slice(0, -CHECKSUM_LENGTH)))
  );
}

/** CRC-32 in base62, most significant digit first; 62^6 holds every 32-bit number. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % ALPHABET.length] + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
