/** A server responded to nothing that was under way on it. */
export class SilentError extends Error {
  override name = 'SilentError';
}

/**
 * Notices when a server falls silent: when work on it is under way, and none of it ends for some time. Slow work beside
 * work that ends is not silence.
 */
export class Silence {
  readonly #limitMs: number;
  /** What stops the wait for each piece of work under way. */
  readonly #waiting = new Set<() => void>();
  /** When a piece of work ended, or the first one began. */
  #heardAt = 0;
  #isTiming = false;

  /** `limitMs`: how long nothing may end, in milliseconds. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** The outcome of work, or SilentError when its server falls silent before. The work itself goes on. */
  async unlessSilent<T>(work: Promise<T>): Promise<T> {
    const { promise: silence, reject } = Promise.withResolvers<never>();
    const stop = () => reject(new SilentError(`it responded to nothing for ${this.#limitMs} ms`));
    if (this.#waiting.size === 0) this.#heardAt = performance.now();
    this.#waiting.add(stop);
    this.#time(this.#limitMs);
    try {
      return await Promise.race([work, silence]);
    } finally {
      if (this.#waiting.delete(stop)) this.#heardAt = performance.now();
    }
  }

  #time(ms: number): void {
    if (this.#isTiming) return;
    this.#isTiming = true;
    // If this process stood still itself, it first reads what arrived meanwhile.
    setTimeout(() => setImmediate(() => this.#check()), ms).unref();
  }

  #check(): void {
    this.#isTiming = false;
    if (this.#waiting.size === 0) return;
    const leftMs = this.#heardAt + this.#limitMs - performance.now();
    if (leftMs > 0) {
      this.#time(leftMs);
      return;
    }
    for (const stop of this.#waiting) stop();
    this.#waiting.clear();
  }
}
