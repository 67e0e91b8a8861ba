/** Lets those who want the same thing at the same time share one read of it. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Promise<T>>();

  /** Joins the read of that name which is under way, or begins one. */
  read(name: string, begin: () => Promise<T>): Promise<T> {
    const running = this.#running.get(name);
    if (running) return running;
    const begun = begin().finally(() => {
      if (this.#running.get(name) === begun) this.#running.delete(name);
    });
    this.#running.set(name, begun);
    return begun;
  }

  /** Lets nobody join what is under way. */
  detach(): void {
    this.#running.clear();
  }
}

/** The store is taken to be away when it does not answer in this time, in milliseconds. */
const READ_TIMEOUT_MS = 5_000;

/** What a read of the store gives; rejects where that takes too long. */
export async function withReadTimeout<T>(read: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`The store did not answer in ${READ_TIMEOUT_MS} ms.`)),
    READ_TIMEOUT_MS,
  );
  try {
    return await Promise.race([read, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Lets a number of tasks run at once; of the others as many wait, in their order, as `maxWaiting` says.
 * What is more than that is refused: it rejects without being begun.
 */
export function concurrencyLimit(atOnce: number, maxWaiting: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running++;
    else if (waiting.length < maxWaiting) {
      // Whoever ends hands its place over.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else throw new Error(`${maxWaiting} of the kind wait already.`);
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
