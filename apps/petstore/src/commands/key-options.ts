import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { hashKey, looksLikeKey, type NewKey } from '../keys/key.ts';
import { DEFAULT_SCOPES, SCOPES, type Scope } from '../keys/scope.ts';
import type { KeyStore } from '../store/contract/key-store.ts';
import type { Store } from '../store/store.ts';
import type { StoreOptions } from '../store/store-options.ts';
import { readDuration, readTime } from './time-options.ts';
import { withStore } from './with-store.ts';

/** The parts that the commands for keys share. */

/** Opens the store for a piece of work on keys. */
export async function withKeys<T>(
  options: Pick<StoreOptions, 'mustExist'>,
  work: (keys: KeyStore, store: Store) => Promise<T>,
): Promise<T> {
  const instead = '`petstore serve` makes it a key when it starts';
  return withStore({ ...options, instead }, (store) => work(store.keys, store));
}

/** The id of a key, given its id or the key itself. The key need not exist. */
export async function keyId(keys: KeyStore, idOrKey: string): Promise<string> {
  const id = looksLikeKey(idOrKey) ? await keys.idOf(hashKey(idOrKey)) : idOrKey;
  if (id === undefined) throw keyNotFound(idOrKey);
  return id;
}

export function keyNotFound(idOrKey: string): UserError {
  // The message does not repeat the key, not even a wrong one: it may be right elsewhere.
  const what = looksLikeKey(idOrKey)
    ? 'This key is not in the database.'
    : `No key has the id ${JSON.stringify(idOrKey)}.`;
  return new UserError(`${what} \`petstore keys list\` shows the ids.`);
}

/** Adds the option that says what a key may do: given several times, or with commas, or both. */
export function addScopeOption(command: Command): Command {
  return command.option(
    '--scope <scopes>',
    `what the key may do: ${SCOPES.join(', ')} (${DEFAULT_SCOPES.join(', ')})`,
    (text: string, before: Scope[] = []) => [...before, ...text.split(',').map(readScope)],
  );
}

/** Each scope once, in the order of all. */
export function sortScopes(scopes: readonly Scope[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope));
}

function readScope(text: string): Scope {
  const scope = SCOPES.find((known) => known === text.trim());
  if (scope) return scope;
  throw new UserError(
    `--scope must be one of ${SCOPES.join(', ')}, or several separated by commas; got ${JSON.stringify(text)}.`,
  );
}

export interface ExpiryOptions {
  readonly expiresIn?: string;
  readonly expiresAt?: string;
}

/** Adds the options that say when a key ends. `otherwise`: when it ends without them. */
export function addExpiryOptions(command: Command, otherwise: string): Command {
  return command
    .option('--expires-in <duration>', `how long it works: 12h, 90d and the like (${otherwise})`)
    .option('--expires-at <time>', 'until when it works, in RFC 3339: 2027-01-31T12:00:00Z');
}

/** When a key is to expire; undefined where neither option is given. Throws UserError. */
export function readExpiry({ expiresIn, expiresAt }: ExpiryOptions, now: Date): Date | undefined {
  if (expiresIn !== undefined && expiresAt !== undefined) {
    throw new UserError('Give --expires-in or --expires-at, not both.');
  }
  const [option, end] =
    expiresIn === undefined
      ? ['--expires-at', expiresAt === undefined ? undefined : readTime('--expires-at', expiresAt)]
      : ['--expires-in', new Date(now.getTime() + readDuration('--expires-in', expiresIn))];
  if (end && end <= now) {
    throw new UserError(`${option} must be in the future: a key that has expired opens nothing.`);
  }
  return end;
}

/**
 * Shows a key that was just stored, this once: behind a sentence for people, or as JSON with more members for scripts.
 * When the output cannot be written, it calls `undo`, which returns the end of a sentence, and throws UserError.
 */
export async function showKey(
  { key, record: { id, name, scopes, expiresAt } }: NewKey,
  form: string | Record<string, unknown>,
  undo: () => Promise<string>,
): Promise<void> {
  const text =
    typeof form === 'string'
      ? `${form}\nIt is shown this once:\n\n  ${key}\n`
      : JSON.stringify({ id, name, key, scopes, expiresAt: expiresAt ?? null, ...form });
  try {
    await print(text);
  } catch (cause) {
    throw new UserError(`The key could not be shown, so ${await undo()}.`, { cause });
  }
}
