import { LRUCache } from 'lru-cache';
import { decrementCounter, incrementCounter, pruneCounters } from '../store/rate-counters.ts';
import type { Db } from '../store/schema.ts';

const WINDOW_MS = 15 * 60_000;

/**
 * Wrong passwords in a window, counted in the store, so that they hold for all edges together. `pair`: of one network for
 * one site; `network`: for all sites; `site`: of all networks, which also locks out those who know the password, so it is
 * wide. Whoever has a session is not asked.
 */
const LIMITS = { pair: 10, network: 100, site: 1_000 } as const;

/** Networks that are known to have to wait, in memory. */
const MAX_KNOWN = 10_000;

/** Slows down whoever guesses the shared password of a site. */
export class PasswordLimits {
  readonly #db: Db;
  readonly #now: () => number;
  /** Until when: whoever is refused costs the store nothing more. */
  readonly #refused = new LRUCache<string, number>({
    maxSize: MAX_KNOWN,
    sizeCalculation: () => 1,
  });

  constructor(db: Db, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  /** Counts a try before its result is known. 0, or how long to wait, in milliseconds. */
  async take(projectId: string, network: string | undefined): Promise<number> {
    const now = this.#now();
    const keys = keysOf(projectId, network);
    for (const { key } of keys) {
      const until = this.#refused.get(key) ?? 0;
      if (until > now) return until - now;
    }
    await pruneCounters(this.#db, now);
    for (const { key, limit } of keys) {
      const { count, resetsAt } = await incrementCounter(this.#db, key, now, WINDOW_MS);
      if (count <= limit) continue;
      this.#refused.set(key, resetsAt);
      return resetsAt - now;
    }
    return 0;
  }

  /** The password was right, or nobody looked: it does not count, and whoever was refused because of it asks again. */
  async giveBack(projectId: string, network: string | undefined): Promise<void> {
    for (const { key } of keysOf(projectId, network)) {
      this.#refused.delete(key);
      await decrementCounter(this.#db, key);
    }
  }
}

/** Without a network, as behind a proxy of this machine, only the site's own count is known. */
function keysOf(projectId: string, network: string | undefined) {
  return [
    ...(network === undefined
      ? []
      : [
          { key: `site-pair:${network} ${projectId}`, limit: LIMITS.pair },
          { key: `site-network:${network}`, limit: LIMITS.network },
        ]),
    { key: `site:${projectId}`, limit: LIMITS.site },
  ];
}
