import { LRUCache } from 'lru-cache';

/** Messages to the sites of one project that this process answers: a burst, then this many a second. */
const BURST = 60;
const PER_SECOND = 20;

/** Projects whose messages are counted. */
const MAX_PROJECTS = 10_000;

/** Counts the messages to each project. The returned function tells whether another one may be answered now. */
export function callRate(now: () => number = () => performance.now()) {
  const buckets = new LRUCache<string, { left: number; at: number }>({
    maxSize: MAX_PROJECTS,
    sizeCalculation: () => 1,
  });
  return (projectId: string): boolean => {
    const at = now();
    const { left, at: before } = buckets.get(projectId) ?? { left: BURST, at };
    const refilled = Math.min(BURST, left + ((at - before) / 1_000) * PER_SECOND);
    const isAllowed = refilled >= 1;
    buckets.set(projectId, { left: isAllowed ? refilled - 1 : refilled, at });
    return isAllowed;
  };
}
