import { LRUCache } from 'lru-cache';

/** A burst, then so many a second. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Keys that are counted; of more, those that were not seen for longest are forgotten. */
const MAX_COUNTED = 10_000;

/** Buckets of tokens, by key, each full at first. */
export interface TokenBuckets {
  /** Takes a token; false where there is none. */
  take(key: string): boolean;
  /** Whether there is a token. */
  has(key: string): boolean;
  /** Takes tokens that were used already, which may leave less than none. */
  spend(key: string, tokens: number): void;
}

export function tokenBuckets({ burst, perSecond }: Rate, now: () => number): TokenBuckets {
  const buckets = new LRUCache<string, { left: number; at: number }>({
    maxSize: MAX_COUNTED,
    sizeCalculation: () => 1,
  });
  const left = (key: string): number => {
    const { left, at } = buckets.get(key) ?? { left: burst, at: now() };
    return Math.min(burst, left + ((now() - at) / 1_000) * perSecond);
  };
  const spend = (key: string, tokens: number): void =>
    void buckets.set(key, { left: left(key) - tokens, at: now() });
  return {
    has: (key) => left(key) >= 1,
    spend,
    take(key) {
      const isAllowed = left(key) >= 1;
      spend(key, isAllowed ? 1 : 0);
      return isAllowed;
    },
  };
}
