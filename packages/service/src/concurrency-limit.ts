/**
 * Runs at most `maxRunning` tasks at once; at most `maxWaiting` more wait in a queue. Any further task rejects with
 * `tooMany` without being started.
 */
export function concurrencyLimit(maxRunning: number, maxWaiting: number, tooMany: () => Error) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (running < maxRunning) running++;
    else if (waiting.length < maxWaiting) {
      // A task that ends hands its place to the next one, so that no other can take it in between.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else throw tooMany();
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
