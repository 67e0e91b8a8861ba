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

/** When a read takes longer than this, the store counts as unavailable. In milliseconds. */
const READ_TIMEOUT_MS = 5_000;

/** The result of a read of the store; rejects when that takes too long. */
export async function withReadTimeout<T>(read: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`The store did not respond within ${READ_TIMEOUT_MS} ms.`)),
    READ_TIMEOUT_MS,
  );
  try {
    return await Promise.race([read, promise]);
  } finally {
    clearTimeout(timer);
  }
}
