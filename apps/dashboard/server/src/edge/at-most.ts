/**
 * Lets a number of tasks run at once; of the others as many wait, in their order, as `maxWaiting` says.
 * What is more than that is refused: it rejects without being begun.
 */
export function atMost(atOnce: number, maxWaiting: number) {
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
