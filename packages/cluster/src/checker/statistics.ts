/** The outcome of the requests of one kind. */
export interface Figures {
  readonly ok: number;
  /** Requests that the service could not carry out: 503, or a connection that broke. */
  readonly unavailable: number;
  /** The longest time without a request that was carried out, in milliseconds. */
  readonly awayMs: number;
  /** The durations of the requests that were carried out, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The longest duration of any request, in milliseconds. */
  readonly longestMs: number;
}

/** Counts the requests of one kind. */
export class Statistics {
  #ok = 0;
  #unavailable = 0;
  #awayMs = 0;
  #longestMs = 0;
  #times: number[] = [];
  #last = performance.now();

  /** A request has ended. */
  count(isOk: boolean, tookMs: number): void {
    this.#longestMs = Math.max(this.#longestMs, tookMs);
    if (!isOk) {
      this.#unavailable += 1;
      return;
    }
    const now = performance.now();
    this.#awayMs = Math.max(this.#awayMs, now - this.#last);
    this.#last = now;
    this.#ok += 1;
    this.#times.push(tookMs);
  }

  /**
   * Returns the figures since the last call, and begins anew. A time without success that is not over yet counts so
   * far.
   */
  take(): Figures {
    const now = performance.now();
    const times = this.#times.sort((a, b) => a - b);
    const figures = {
      ok: this.#ok,
      unavailable: this.#unavailable,
      awayMs: Math.round(Math.max(this.#awayMs, now - this.#last)),
      p50: share(times, 0.5),
      p99: share(times, 0.99),
      longestMs: Math.round(this.#longestMs),
    };
    this.#ok = 0;
    this.#unavailable = 0;
    this.#awayMs = 0;
    this.#longestMs = 0;
    this.#times = [];
    return figures;
  }
}

function share(sorted: readonly number[], part: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return Math.round(value * 10) / 10;
}
