import { StoreUnavailableError, type UnavailableKind } from '../store.ts';

/** SQLSTATEs that the code asks for by name. https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const SQLSTATE = {
  UNIQUE_VIOLATION: '23505',
  READ_ONLY: '25006',
  INVALID_AUTHORIZATION: '28000',
  INVALID_PASSWORD: '28P01',
  UNDEFINED_DATABASE: '3D000',
  SERIALIZATION_FAILURE: '40001',
  DEADLOCK: '40P01',
  INSUFFICIENT_PRIVILEGE: '42501',
  DISK_FULL: '53100',
} as const;

/** Classes of SQLSTATE that tell of the database's state, not of a defect here. */
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

/** How the driver names the loss of a connection; everything else is an errno of the system. */
const DRIVER_LOSSES: ReadonlySet<string> = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
]);

/** The code of an error: a SQLSTATE, one of the driver's, or a system's errno. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/**
 * How Node names what goes wrong with TLS: the other side knows none, or its certificate does not fit.
 * https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const TLS_FAILURE =
  /^(ECONNRESET|ERR_(TLS|SSL)_.*|(DEPTH_ZERO_)?SELF_SIGNED_.*|UNABLE_TO_.*|CERT_.*|HOSTNAME_MISMATCH|INVALID_CA)$/;

/** Whether no secure connection comes about. */
export function isTlsFailure(error: unknown): boolean {
  return !isErrno(error) && TLS_FAILURE.test(codeOf(error) ?? '');
}

/** Whether the way to the server is broken: nothing that is sent now would arrive. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return false;
  const isLost = DRIVER_LOSSES.has(code) || isErrno(error) || isTlsFailure(error);
  return isLost || /^(08|57P0)/.test(code);
}

/** Whether the transaction was undone because of others and may succeed when tried again. */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  return code === SQLSTATE.SERIALIZATION_FAILURE || code === SQLSTATE.DEADLOCK;
}

/** Whether another animal has the id that an insert was given. */
export function isIdTaken(error: unknown): boolean {
  return violates(error, 'pets_pkey');
}

/** Whether another category has the name that one was to be given. */
export function isNameTaken(error: unknown): boolean {
  return violates(error, 'categories_name_key_key');
}

function violates(error: unknown, constraint: string): boolean {
  const { constraint_name: violated } = error as { constraint_name?: unknown };
  return codeOf(error) === SQLSTATE.UNIQUE_VIOLATION && violated === constraint;
}

/** What the database's state caused becomes a StoreUnavailableError; anything else stays as it is. */
export function translated(error: unknown): unknown {
  if (error instanceof StoreUnavailableError) return error;
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
  if (isConnectionLoss(error)) return 'connection';
  return KINDS.find(([pattern]) => pattern.test(code))?.[1] ?? 'other';
}

function isErrno(error: unknown): boolean {
  // What Node says of a host with several addresses, none of which could be reached.
  if (error instanceof AggregateError) return error.errors.some(isErrno);
  return typeof (error as { syscall?: unknown }).syscall === 'string';
}
