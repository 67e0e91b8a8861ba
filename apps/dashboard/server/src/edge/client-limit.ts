/**
 * Runs at most `most` tasks of one client at once. A further one rejects with `tooMany` without being started. Those of
 * an undefined client are not counted.
 */
export function clientLimit(most: number, tooMany: () => Error) {
  const running = new Map<string, number>();
  return async <T>(client: string | undefined, task: () => Promise<T>): Promise<T> => {
    if (client === undefined) return task();
    const count = running.get(client) ?? 0;
    if (count >= most) throw tooMany();
    running.set(client, count + 1);
    try {
      return await task();
    } finally {
      const left = (running.get(client) ?? 0) - 1;
      if (left > 0) running.set(client, left);
      else running.delete(client);
    }
  };
}
