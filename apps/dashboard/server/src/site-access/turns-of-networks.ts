import { concurrencyLimit } from '@petstore/service/concurrency-limit.ts';

interface Turns {
  readonly limited: ReturnType<typeof concurrencyLimit>;
  /** Those under way and those that wait. */
  tasks: number;
}

/**
 * Runs one task of each network at a time, and lets at most `maxWaiting` more wait; any further one rejects with `tooMany`
 * without being started. Those of an undefined network do not wait for each other.
 */
export function turnsOfNetworks(maxWaiting: number, tooMany: () => Error) {
  const networks = new Map<string, Turns>();
  return async <T>(network: string | undefined, task: () => Promise<T>): Promise<T> => {
    if (network === undefined) return task();
    const turns = networks.get(network) ?? {
      limited: concurrencyLimit(1, maxWaiting, tooMany),
      tasks: 0,
    };
    networks.set(network, turns);
    turns.tasks += 1;
    try {
      return await turns.limited(task);
    } finally {
      turns.tasks -= 1;
      if (turns.tasks === 0) networks.delete(network);
    }
  };
}
