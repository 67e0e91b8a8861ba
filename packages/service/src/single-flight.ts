/** Concurrent readers of one key share one read. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Promise<T>>();

  /** Joins the read of that key that is in flight, or starts one. */
  read(key: string, start: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running) return running;
    const started = start().finally(() => {
      if (this.#running.get(key) === started) this.#running.delete(key);
    });
    this.#running.set(key, started);
    return started;
  }

  /** Later readers start reads of their own. */
  detach(): void {
    this.#running.clear();
  }
}
