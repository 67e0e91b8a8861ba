import { hash, randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Environment } from '../config.ts';
import { DEFAULT_SCOPES, type Scope } from './scope.ts';

// A key reads pk_live_, pk_test_, or pk_sand_ for that of a sandbox, 32 random base62 characters (190 bits), and a checksum of six.
// The prefix lets a person, and a scanner of leaked secrets, tell what it is; the checksum lets both
// tell a typo from a key without asking anyone.

const PREFIX: Record<Environment, string> = { production: 'pk_live_', staging: 'pk_test_' };
/** In both environments: a sandbox is nobody's data in either. */
const SANDBOX_PREFIX = 'pk_sand_';
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
  /** The key is refused from then on; undefined for never. */
  readonly expiresAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  /** Written once a minute, so it may be behind. */
  readonly lastUsedAt: Date | undefined;
  /** The id of the key that replaces it. */
  readonly replacedBy: string | undefined;
}

/** What a request needs to know of the key that it came with: one that is not revoked. Its holder looks at its expiry. */
export interface ActiveKey {
  readonly id: string;
  readonly scopes: readonly Scope[];
  /** In milliseconds since 1970; Infinity for never. */
  readonly expiresAt: number;
  /** The sandbox that the key opens; undefined for every key of the service's own store. */
  readonly sandbox?: SandboxRef;
}

/** Names a sandbox. */
export interface SandboxRef {
  readonly id: string;
  /** The rules by which its requests fail, as they are stored; undefined for none. */
  readonly faults?: string | undefined;
}

/** A new key: the secret, shown once, and the record that the store keeps. */
export interface NewKey {
  readonly key: string;
  readonly hash: KeyHash;
  readonly record: KeyRecord;
}

export const MAX_KEY_NAME_LENGTH = 100;

/**
 * Creates a key for an environment. `name` is for people: 1 to MAX_KEY_NAME_LENGTH characters. By default it has
 * DEFAULT_SCOPES and does not expire.
 */
export function generateKey(
  name: string,
  environment: Environment,
  now: Date,
  { scopes = DEFAULT_SCOPES, expiresAt }: { scopes?: readonly Scope[]; expiresAt?: Date } = {},
): NewKey {
  const key = randomKey(PREFIX[environment]);
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

/** Makes the secret of a sandbox, which works in every environment. */
export function generateSandboxKey(): { key: string; hash: KeyHash } {
  const key = randomKey(SANDBOX_PREFIX);
  return { key, hash: hashKey(key) };
}

function randomKey(prefix: string): string {
  const body =
    prefix +
    Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return body + checksum(body);
}

/** SHA-256: enough for a secret with 190 random bits, which no dictionary holds. */
export function hashKey(key: string): KeyHash {
  return hash('sha256', key, 'base64');
}

/** Whether a text looks like a key of either environment or of a sandbox, well formed or not. */
export function looksLikeKey(text: string): boolean {
  return [...Object.values(PREFIX), SANDBOX_PREFIX].some((prefix) => text.startsWith(prefix));
}

/** Whether a text could be a key of this environment, by its prefix, length and checksum. That needs no secret. */
export function isWellFormedKey(text: string, environment: Environment): boolean {
  return isKeyWith(PREFIX[environment], text);
}

/** The same of a sandbox's key. */
export function isWellFormedSandboxKey(text: string): boolean {
  return isKeyWith(SANDBOX_PREFIX, text);
}

function isKeyWith(prefix: string, text: string): boolean {
  return (
    text.length === KEY_LENGTH &&
    text.startsWith(prefix) &&
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
