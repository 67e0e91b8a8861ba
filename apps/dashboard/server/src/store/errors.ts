import {
  isConnectionLoss,
  isRetryable as isRetryableByPostgres,
  PoolFullError,
  SQLSTATE,
  TimeLimitError,
} from '@petstore/postgres/errors.ts';

/** Whether a statement failed because a value that must be unique is taken. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  // SQLite: SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY.
  return code === SQLSTATE.UNIQUE_VIOLATION || errcode === 2067 || errcode === 1555;
}

/**
 * What was read before the lock was taken is outdated: another transaction changed it meanwhile. The transaction is
 * rolled back and retried, as one that PostgreSQL rolls back.
 */
export class ConcurrentChangeError extends Error {
  override name = 'ConcurrentChangeError';
}

/** Whether a transaction was rolled back because of others, and may succeed when retried. */
export function isRetryable(error: unknown): boolean {
  return error instanceof ConcurrentChangeError || isRetryableByPostgres(error);
}

/** Whether the database cannot work now: unreachable, locked or full. A later retry may help. */
export function isUnavailable(error: unknown): boolean {
  if (isRetryable(error)) return true;
  const { code = '', errcode } = error as { code?: string; errcode?: number };
  // SQLite: SQLITE_BUSY, SQLITE_LOCKED, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN; extended codes
  // have the plain one in their low byte.
  if (errcode !== undefined) return [5, 6, 10, 13, 14].includes(errcode & 0xff);
  if (error instanceof TimeLimitError || error instanceof PoolFullError) return true;
  // PostgreSQL: lost connections, insufficient resources, statements that took too long, shutdown.
  return isConnectionLoss(error) || /^(53|57)/.test(code);
}
