/** Work whose result is the same for all who ask at one time: it is done once for those who came before it begins. */
export class CoalescedCall<T> {
  readonly #work: () => Promise<T>;
  #waiting: PromiseWithResolvers<T> | undefined;
  #isAtWork = false;

  /** `work`: one at a time. */
  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  /** The result of work that begins after this call. */
  next(): Promise<T> {
    if (!this.#waiting) {
      this.#waiting = Promise.withResolvers();
      // After all calls that arrive together.
      if (!this.#isAtWork) setImmediate(() => this.#begin());
    }
    return this.#waiting.promise;
  }

  async #begin(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#isAtWork = true;
    await this.#work().then(waiting?.resolve, waiting?.reject);
    this.#isAtWork = false;
    if (this.#waiting) void this.#begin();
  }
}
