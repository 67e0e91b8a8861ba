/**
 * Why a database cannot work, as far as that is known. busy: others hold its locks; full: its disk or memory; storage:
 * its files are damaged, gone or read-only; connection: its server cannot be reached; timeout: no response in time;
 * queue_full: too many writes wait for it.
 */
export const UNAVAILABLE_KINDS = [
  'busy',
  'full',
  'storage',
  'connection',
  'timeout',
  'queue_full',
  'other',
] as const;

export type UnavailableKind = (typeof UNAVAILABLE_KINDS)[number];

/** The database cannot do its work now: away, locked, full. The cause is for the log alone. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
  readonly kind: UnavailableKind;

  constructor(message: string, options: { cause?: unknown; kind?: UnavailableKind } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.kind = options.kind ?? 'other';
  }
}

/** There is more to do than the database can do soon. Nothing happened. */
export class StoreOverloadedError extends StoreUnavailableError {
  override name = 'StoreOverloadedError';
  /** What there is too much of, as a sentence for clients. */
  readonly publicMessage: string;

  constructor(publicMessage: string) {
    super(publicMessage, { kind: 'queue_full' });
    this.publicMessage = publicMessage;
  }
}

/** A store holds as much as it may, and a write would add to it. Nothing happened. The message is for clients. */
export class StoreFullError extends Error {
  override name = 'StoreFullError';
}

/** The store of a request is no longer there: its sandbox ended meanwhile. */
export class StoreGoneError extends Error {
  override name = 'StoreGoneError';

  constructor() {
    super('the sandbox is gone');
  }
}

/** What there is too much of where the queue of writes is full, as a sentence for clients. */
export const TOO_MANY_WRITES = 'Too many writes wait for the database.';

/** The error of a full queue of writes. */
export function writeQueueFull(): StoreOverloadedError {
  return new StoreOverloadedError(TOO_MANY_WRITES);
}

/** The engine's own message, for a person at the terminal of the machine. */
export function reason({ message, cause }: StoreUnavailableError): string {
  return cause instanceof Error ? cause.message : message;
}
