/** For how long after one failure of a kind was logged further ones are only counted, in milliseconds. */
const INTERVAL_MS = 1_000;

/** Writes lines, as pino does. */
interface ErrorLog {
  error(details: object, message: string): void;
}

/** The fields of a line beside the cause; `code` is the one in the response. */
interface Failure {
  readonly code: string;
  readonly requestId?: string;
  readonly traceId?: string | undefined;
}

interface Repeated {
  count: number;
  last: Failure;
}

/**
 * Logs why requests failed: the first of a kind with its cause, those that follow within a second as a count. When
 * a database is away every request fails, and a line for each would be part of the trouble.
 */
export class FailureLog {
  readonly #log: ErrorLog;
  readonly #kinds = new Map<string, Repeated>();

  constructor(log: ErrorLog) {
    this.#log = log;
  }

  note(failure: Failure, cause: unknown): void {
    const kind = `${failure.code} ${sentencesOf(cause)}`;
    const repeated = this.#kinds.get(kind);
    if (repeated) {
      repeated.count++;
      repeated.last = failure;
      return;
    }
    this.#log.error({ ...failure, err: cause }, 'request failed');
    this.#count(kind);
  }

  #count(kind: string): void {
    this.#kinds.set(kind, { count: 0, last: { code: '' } });
    setTimeout(() => {
      const { count, last } = this.#kinds.get(kind) as Repeated;
      this.#kinds.delete(kind);
      if (count === 0) return;
      this.#log.error(
        { ...last, count, why: kind.slice(last.code.length + 1) },
        'more requests failed in the same way',
      );
      this.#count(kind);
    }, INTERVAL_MS).unref();
  }
}

/** The message of an error, and those of its causes. */
function sentencesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined
    ? error.message
    : `${error.message}: ${sentencesOf(error.cause)}`;
}
