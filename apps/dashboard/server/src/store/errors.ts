/** Whether a statement failed because a value that must be unique is taken. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  // PostgreSQL: unique_violation. SQLite: SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY.
  return code === '23505' || errcode === 2067 || errcode === 1555;
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
  // PostgreSQL: serialization_failure and deadlock_detected.
  const { code = '' } = error as { code?: string };
  return error instanceof ConcurrentChangeError || code === '40001' || code === '40P01';
}

// The PostgreSQL driver gives no codes to what happens to its connections.
const LOST_CONNECTION =
  /^(Connection terminated|timeout expired|timeout exceeded when|Client has encountered a connection error|Cannot use a pool after)/;

/** Whether the database cannot work now: unreachable, locked or full. A later retry may help. */
export function isUnavailable(error: unknown): boolean {
  if (isRetryable(error)) return true;
  const { code = '', errcode } = error as { code?: string; errcode?: number };
  // SQLite: SQLITE_BUSY, SQLITE_LOCKED, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN; extended codes
  // have the plain one in their low byte.
  if (errcode !== undefined) return [5, 6, 10, 13, 14].includes(errcode & 0xff);
  // PostgreSQL: connection exceptions, statements that took too long, shutdown, insufficient
  // resources; the system's codes.
  if (/^(08|53|57)/.test(code) || /^(ECONN|ENOTFOUND|ETIMEDOUT|EPIPE)/.test(code)) return true;
  return error instanceof Error && LOST_CONNECTION.test(error.message);
}
