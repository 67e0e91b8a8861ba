import type { Metrics } from '@petstore/service/metrics/instruments.ts';
import { LRUCache } from 'lru-cache';
import type { Page } from '../contract/page.ts';

/** The size that an entry counts besides its text, in bytes. */
const ENTRY_BYTES = 200;

/**
 * Pages by their query, with a bound on their total size. The least recently used page goes first. The cache does not
 * watch the database: its owner empties it after each commit.
 */
export class PageCache {
  readonly #pages: LRUCache<string, Page>;
  #hits = 0;
  #misses = 0;

  /** `maxBytes` is the bound of their total size; 0 keeps none. */
  constructor(maxBytes: number, metrics: Metrics) {
    this.#pages = new LRUCache({
      // The library reads 0 as no bound. No page is as small as 1.
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ json }, name) => 2 * (json.length + name.length) + ENTRY_BYTES,
    });
    const name = 'petstore_page_cache';
    metrics.counted(`${name}_hits_total`, 'Pages that were in memory.', () => this.#hits);
    metrics.counted(`${name}_misses_total`, 'Pages that had to be read.', () => this.#misses);
    metrics.gauge(
      `${name}_bytes`,
      'What the pages in memory weigh.',
      () => this.#pages.calculatedSize,
    );
  }

  /** The page of this name. When it is not in the cache, it is read, and kept if there is room. */
  get(name: string, read: () => Page): Page {
    const kept = this.#pages.get(name);
    if (kept) {
      this.#hits++;
      return kept;
    }
    this.#misses++;
    const page = read();
    this.#pages.set(name, page);
    return page;
  }

  clear(): void {
    this.#pages.clear();
  }
}
