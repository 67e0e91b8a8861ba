import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiError } from '@petstore/http/errors.ts';
import { concurrencyLimit } from '@petstore/service/concurrency-limit.ts';
import { invalidRequest, unauthorized } from '../api-error.ts';
import type { Trx } from '../store/schema.ts';
import { lockUser, type UserRow } from '../store/users.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './account.ts';
import { isCommonPassword } from './common-password.ts';

/** The cost of an argon2id hash. */
export interface PasswordCost {
  readonly memoryKib: number;
  readonly passes: number;
}

/** The minimum of OWASP's cheat sheet on password storage. */
export const PASSWORD_COST: PasswordCost = { memoryKib: 19_456, passes: 2 };

/** Instead of a hash, for an account without a password: its owner signs in in another way. */
export const NO_PASSWORD = '!';

const PARALLELISM = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Strangers can cause hashing. Each hash takes a thread and 19 MiB for some 30 ms. */
const MAX_RUNNING = 2;
const MAX_WAITING = 64;
const limited = concurrencyLimit(
  MAX_RUNNING,
  MAX_WAITING,
  () =>
    new ApiError('unavailable', 'Too many are signing in right now. Try again shortly.', {
      headers: { 'retry-after': '2' },
    }),
);

const derive = promisify(argon2);

/** Refuses a password that is too short or too long, counted in characters, and one that is tried first. */
export function checkPassword(password: string): void {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH) {
    throw invalidRequest(
      `password must be ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters long; it has ${length}.`,
    );
  }
  if (isCommonPassword(password)) {
    throw invalidRequest(
      'password is one of those that are tried first. Choose another one: four words that do not belong together are good.',
    );
  }
}

/** The hash of a password, in PHC format, with a salt of its own. */
export async function hashPassword(password: string, cost: PasswordCost): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await limited(() => tagOf(password, { ...cost, salt, parallelism: PARALLELISM }));
  return phcOf(cost, salt, tag);
}

/**
 * Whether a password matches a hash. Without a hash, or with NO_PASSWORD, it returns false, and takes as long as for one
 * of this cost.
 */
export async function verifyPassword(
  password: string,
  phc: string | undefined,
  cost: PasswordCost,
): Promise<boolean> {
  const hasPassword = phc !== undefined && phc !== NO_PASSWORD;
  // For addresses without an account, so that their response takes as long as any.
  const known = parse(
    hasPassword ? phc : phcOf(cost, Buffer.alloc(SALT_BYTES), Buffer.alloc(TAG_BYTES)),
  );
  const tag = await limited(() => tagOf(password, known));
  return timingSafeEqual(tag, known.tag) && hasPassword;
}

function tagOf(
  password: string,
  known: PasswordCost & { readonly salt: Buffer; readonly parallelism: number },
): Promise<Buffer> {
  // NFKC: keyboards of different systems compose the same characters differently.
  const message = password.normalize('NFKC');
  return derive('argon2id', {
    message,
    nonce: known.salt,
    parallelism: known.parallelism,
    tagLength: TAG_BYTES,
    memory: known.memoryKib,
    passes: known.passes,
  });
}

function phcOf({ memoryKib, passes }: PasswordCost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${PARALLELISM}$${unpadded(salt)}$${unpadded(tag)}`;
}

function parse(phc: string) {
  const [, m, t, p, salt, tag] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(phc) ?? [];
  if (!salt || !tag) throw new Error('a stored password hash is not argon2id in PHC format');
  return {
    memoryKib: Number(m),
    passes: Number(t),
    parallelism: Number(p),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/**
 * Locks a user until the transaction ends, and returns them. A change of the password also ends what this transaction
 * creates, so it comes either before it or after it. Throws ApiError `unauthorized` where the password has changed since
 * `user` was read, or the account is disabled or gone.
 */
export async function lockUserWithPassword(trx: Trx, user: UserRow): Promise<UserRow> {
  const current = await lockActiveUser(trx, user.id);
  if (current.password_hash !== user.password_hash) {
    throw unauthorized('The password was changed meanwhile. Sign in again.');
  }
  return current;
}

/**
 * Locks a user until the transaction ends, and returns them: disabling or removing them comes after it. Throws ApiError
 * `unauthorized` where that came before.
 */
export async function lockActiveUser(trx: Trx, id: string): Promise<UserRow> {
  const current = await lockUser(trx, id);
  if (!current || current.disabled_at !== null) {
    throw unauthorized('This account was disabled or removed.');
  }
  return current;
}
