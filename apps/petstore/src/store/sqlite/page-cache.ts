import { LRUCache } from 'lru-cache';
import type { Metrics } from '../../telemetry/instruments.ts';
import type { Page } from '../store.ts';

/** What an entry weighs besides its text, in bytes. */
const ENTRY_BYTES = 200;

/**
 * Pages by what they were asked for, bounded by what they weigh together; the one that was used longest ago goes first.
 * It knows nothing of time: whoever holds it empties it when anything was committed.
 */
export class PageCache {
  readonly #pages: LRUCache<string, Page>;
  #hits = 0;
  #misses = 0;

  /** `maxBytes` is what the pages may weigh together; 0 keeps none. */
  constructor(maxBytes: number, metrics: Metrics) {
    this.#pages = new LRUCache({
      // The library takes 0 for no bound. No page is as small as 1.
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

  /** The page of this name; it is read, and kept where there is room, when it is not there. */
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
