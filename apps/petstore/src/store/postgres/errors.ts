import {
  codeOf,
  isConnectionLoss,
  PoolFullError,
  SQLSTATE,
  TimeLimitError,
  violates,
} from '@petstore/postgres/errors.ts';
import {
  StoreOverloadedError,
  StoreUnavailableError,
  type UnavailableKind,
} from '../store-errors.ts';
import { CLOSING } from './migrations.ts';

/** Classes of SQLSTATE that mean the state of the database, and not a defect of this program. */
const UNAVAILABLE_CLASSES: ReadonlySet<string> = new Set([
  '08', // connection exception
  '28', // the password was changed under the service
  '3D', // the database was dropped or renamed
  '40', // transaction rolled back, also after it was tried again
  '53', // insufficient resources: disk, memory, connections
  '57', // operator intervention: shutdown, starting up, statement timeout
  '58', // system error outside PostgreSQL
]);

const UNAVAILABLE_STATES: ReadonlySet<string> = new Set([
  SQLSTATE.READ_ONLY, // a standby, or a primary that was demoted
  '25P03', // idle in transaction for too long
  '55000', // the database takes no connections now
  '2200H', // no id is left to give
  '55P03', // lock not available in time
  'XX001', // data corrupted
  'XX002', // index corrupted
]);

/** Whether another animal has the id that an insert was given. */
export function isIdTaken(error: unknown): boolean {
  const { constraint } = error as { constraint?: unknown };
  // Each partition has a key of its own.
  return /^pets_(pkey|\d+_id_idx)$/.test(String(constraint)) && violates(error, String(constraint));
}

/** Whether a row with an id far ahead was refused because its partition is still being added. */
function isBeyondEnd(error: unknown): boolean {
  const { constraint } = error as { constraint?: unknown };
  return constraint === CLOSING;
}

/** Whether another category has the name that one was to be given. */
export function isNameTaken(error: unknown): boolean {
  return violates(error, 'categories_name_key_key');
}

/** Turns an error that the database's state caused into a StoreUnavailableError; other errors stay as they are. */
export function translated(error: unknown): unknown {
  if (error instanceof StoreUnavailableError) return error;
  if (error instanceof PoolFullError) {
    return new StoreOverloadedError('Too many requests wait for the database.');
  }
  if (error instanceof TimeLimitError) {
    return new StoreUnavailableError(error.message, { kind: 'timeout' });
  }
  if (isBeyondEnd(error)) {
    return new StoreUnavailableError('a partition is being added', { cause: error, kind: 'busy' });
  }
  const code = codeOf(error);
  const isUnavailable =
    code !== undefined &&
    (isConnectionLoss(error) ||
      UNAVAILABLE_STATES.has(code) ||
      UNAVAILABLE_CLASSES.has(code.slice(0, 2)));
  return isUnavailable
    ? new StoreUnavailableError('PostgreSQL cannot work now', {
        cause: error,
        kind: kindOf(error, code),
      })
    : error;
}

/** Kinds by the beginning of the SQLSTATE; the first that fits. */
const KINDS: readonly (readonly [RegExp, UnavailableKind])[] = [
  [/^57014$/, 'timeout'],
  [/^(28|3D|57)/, 'connection'],
  [/^(40|55)/, 'busy'],
  [/^(53|2200H)/, 'full'],
  [/^(25006|58|XX)/, 'storage'],
];

function kindOf(error: unknown, code: string): UnavailableKind {
  if (isConnectionLoss(error) && code !== SQLSTATE.READ_ONLY) return 'connection';
  return KINDS.find(([pattern]) => pattern.test(code))?.[1] ?? 'other';
}
