import { LRUCache } from 'lru-cache';

/** Messages that are answered: a burst, then this many a second. */
interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Messages to the sites of one project that this process answers: to one client, and to all. */
const OF_CLIENT: Rate = { burst: 20, perSecond: 5 };
const OF_PROJECT: Rate = { burst: 60, perSecond: 20 };

/** Clients whose messages are counted, and projects. */
const MAX_COUNTED = 10_000;

/**
 * Counts the messages to each project. The returned function tells whether another one of a client may be answered now:
 * one that is refused for its client takes nothing from the project. `client` is undefined for one that is not counted.
 */
export function callRate(now: () => number = () => performance.now()) {
  const takeOfClient = tokenBuckets(OF_CLIENT, now);
  const takeOfProject = tokenBuckets(OF_PROJECT, now);
  return (projectId: string, client: string | undefined): boolean =>
    (client === undefined || takeOfClient(`${projectId} ${client}`)) && takeOfProject(projectId);
}

/** Takes a token from the bucket of a key; false where it is empty. */
export function tokenBuckets(
  { burst, perSecond }: Rate,
  now: () => number,
): (key: string) => boolean {
  const buckets = new LRUCache<string, { left: number; at: number }>({
    maxSize: MAX_COUNTED,
    sizeCalculation: () => 1,
  });
  return (key) => {
    const at = now();
    const { left, at: before } = buckets.get(key) ?? { left: burst, at };
    const refilled = Math.min(burst, left + ((at - before) / 1_000) * perSecond);
    const isAllowed = refilled >= 1;
    buckets.set(key, { left: isAllowed ? refilled - 1 : refilled, at });
    return isAllowed;
  };
}
