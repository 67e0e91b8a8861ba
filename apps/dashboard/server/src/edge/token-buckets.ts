import { LRUCache } from 'lru-cache';

/** A burst, then so many a second. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Keys that are counted; of more, those that were not seen for longest are forgotten. */
const MAX_COUNTED = 10_000;

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
