/** Conditions that PostgreSQL reports by code: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const SQLSTATE = {
  FEATURE_NOT_SUPPORTED: '0A000',
  UNIQUE_VIOLATION: '23505',
  READ_ONLY: '25006',
  INVALID_AUTHORIZATION: '28000',
  INVALID_PASSWORD: '28P01',
  UNDEFINED_DATABASE: '3D000',
  SERIALIZATION_FAILURE: '40001',
  DEADLOCK: '40P01',
  INSUFFICIENT_PRIVILEGE: '42501',
  DISK_FULL: '53100',
  LOCK_NOT_AVAILABLE: '55P03',
} as const;

/** Codes of a lost or failed connection where neither PostgreSQL nor the system has one. */
type LossCode =
  | 'CONNECTION_CLOSED'
  | 'CONNECT_TIMEOUT'
  | 'NO_TLS'
  | 'NO_CHANNEL_BINDING'
  | 'NO_FIT_SERVER'
  | 'COMMIT_UNCERTAIN'
  | typeof SQLSTATE.READ_ONLY;

/** The connection is lost. Whether its last statement was carried out is not known. */
export class ConnectionLostError extends Error {
  override name = 'ConnectionLostError';
  readonly code: LossCode;

  constructor(code: LossCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The code of a connection that was not opened in time. */
export function connectTimeout(): ConnectionLostError {
  return new ConnectionLostError('CONNECT_TIMEOUT', 'no connection came about in time');
}

/** Work took longer than allowed, the wait for a connection included. */
export class TimeLimitError extends Error {
  override name = 'TimeLimitError';
}

/** More work waits for a connection than allowed. Nothing of this work has begun. */
export class PoolFullError extends Error {
  override name = 'PoolFullError';
}

/** The code of an error: a SQLSTATE, a LossCode, or a system's errno. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/**
 * Node's error codes for TLS: the other side has no TLS, or its certificate does not fit.
 * https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const TLS_FAILURE =
  /^(NO_TLS|NO_CHANNEL_BINDING|ERR_(TLS|SSL)_.*|(DEPTH_ZERO_)?SELF_SIGNED_.*|UNABLE_TO_.*|CERT_.*|HOSTNAME_MISMATCH|INVALID_CA)$/;

/** Whether no secure connection was possible. */
export function isTlsFailure(error: unknown): boolean {
  return TLS_FAILURE.test(codeOf(error) ?? '');
}

/**
 * Whether a connection can no longer be used: it is cut, its server stops (57P01 to 57P03), or its server turned out to
 * accept no writes (25006), so that a new one may lead to another server.
 */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return false;
  if (error instanceof ConnectionLostError || isErrno(error) || isTlsFailure(error)) return true;
  return /^(08|57P0)/.test(code) || code === SQLSTATE.READ_ONLY;
}

/** Whether a server refused a write because it takes none. The error may be of the connection that was closed for it. */
export function isReadOnly(error: unknown): boolean {
  const { cause } = (error ?? {}) as { cause?: unknown };
  return codeOf(error) === SQLSTATE.READ_ONLY || codeOf(cause) === SQLSTATE.READ_ONLY;
}

/**
 * Whether nothing of a piece of work has happened, because of others, and a retry may succeed: its transaction was
 * rolled back, or a table has changed since its statement was prepared.
 */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  return (
    code === SQLSTATE.SERIALIZATION_FAILURE || code === SQLSTATE.DEADLOCK || isStalePlan(error)
  );
}

/**
 * Whether a statement was prepared before somebody changed its result columns. The server has one code for many
 * unsupported things; only the name of the place in its source tells this one apart.
 */
export function isStalePlan(error: unknown): boolean {
  const { routine } = error as { routine?: unknown };
  return codeOf(error) === SQLSTATE.FEATURE_NOT_SUPPORTED && routine === 'RevalidateCachedQuery';
}

/** Whether a row was refused because another one has the same value of a unique constraint. */
export function violates(error: unknown, constraint: string): boolean {
  const { constraint: violated } = error as { constraint?: unknown };
  return codeOf(error) === SQLSTATE.UNIQUE_VIOLATION && violated === constraint;
}

function isErrno(error: unknown): boolean {
  // Node's error for a host with several addresses, none of which could be reached.
  if (error instanceof AggregateError) return error.errors.some(isErrno);
  return typeof (error as { syscall?: unknown }).syscall === 'string';
}
