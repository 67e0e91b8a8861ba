/** Something that a client may do in a burst, and then so many times a second. */
export class TokenBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  #left: number;
  #at = performance.now();

  constructor(burst: number, perSecond: number) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#left = burst;
  }

  /** Whether it may be done once more. */
  take(): boolean {
    if (this.#left < 1) {
      const now = performance.now();
      const gained = ((now - this.#at) / 1_000) * this.#perSecond;
      this.#left = Math.min(this.#burst, this.#left + gained);
      this.#at = now;
    }
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
