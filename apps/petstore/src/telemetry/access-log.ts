import type { Log } from '@petstore/service/log.ts';

/** off: no lines; errors: for 5xx and slow requests; all: for every request. */
export const ACCESS_LOG_MODES = ['off', 'errors', 'all'] as const;

export type AccessLogMode = (typeof ACCESS_LOG_MODES)[number];

/**
 * A request that has its response, or whose client went away before. The route is the pattern and not the path: a
 * client may have put its key there by mistake, and the path may be private.
 */
export interface AccessLogEntry {
  readonly requestId: string;
  readonly traceId: string | undefined;
  readonly method: string;
  /** Undefined where no route has the path. */
  readonly route: string | undefined;
  /** Undefined where the client went away. */
  readonly status: number | undefined;
  /** Of a stream, the time up to its head. */
  readonly durationMs: number;
  /** The id of the API key, never the key. */
  readonly keyId: string | undefined;
  /** Where a sandbox asked for a fault. */
  readonly hasFault?: true;
}

/**
 * Writes a line for a request: at `warn` for a 5xx and one that took long, at `info` for the others and those with a fault
 * that was asked for.
 */
export class AccessLog {
  readonly #log: Log;
  readonly #slowMs: number;
  readonly #mode: AccessLogMode;

  /** `slowMs`: from which duration on a request is slow, in milliseconds. */
  constructor(log: Log, mode: AccessLogMode, slowMs: number) {
    this.#log = log;
    this.#mode = mode;
    this.#slowMs = slowMs;
  }

  /** Whether a request gets a line; called before the line is assembled. */
  wants(status: number | undefined, durationMs: number, hasFault?: true): boolean {
    if (this.#mode === 'off') return false;
    return this.#mode === 'all' || this.#isRemarkable(status, durationMs, hasFault);
  }

  write(entry: AccessLogEntry): void {
    const { status, hasFault } = entry;
    const level = this.#isRemarkable(status, entry.durationMs, hasFault) ? 'warn' : 'info';
    const durationMs = Math.round(entry.durationMs * 1_000) / 1_000;
    this.#log[level]({ ...entry, durationMs }, 'request');
  }

  #isRemarkable(status: number | undefined, durationMs: number, hasFault?: true): boolean {
    if (hasFault) return false;
    return durationMs >= this.#slowMs || (status !== undefined && status >= 500);
  }
}
