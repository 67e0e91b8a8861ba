import type { PetPage, PetQuery } from '../store.ts';

/** What an entry weighs besides its text. */
const ENTRY_BYTES = 200;

/**
 * Pages by what was asked for. Bounded in bytes; the oldest page goes first. It knows nothing of time: whoever holds it empties it when the database has changed.
 */
export class PageCache {
  readonly #pages = new Map<string, PetPage>();
  readonly #maxBytes: number;
  #bytes = 0;

  /** `maxBytes` is what the pages may weigh together; 0 keeps none. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(query: PetQuery): PetPage | undefined {
    return this.#pages.get(keyOf(query));
  }

  add(query: PetQuery, page: PetPage): void {
    this.#pages.set(keyOf(query), page);
    this.#bytes += weigh(page);
    for (const [key, oldest] of this.#pages) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#pages.delete(key);
      this.#bytes -= weigh(oldest);
    }
  }

  clear(): void {
    this.#pages.clear();
    this.#bytes = 0;
  }
}

function keyOf({ limit, status, after }: PetQuery): string {
  return `${limit} ${status ?? ''} ${after ?? ''}`;
}

/** Text outside Latin-1 takes two bytes a character in memory. */
function weigh({ json }: PetPage): number {
  return ENTRY_BYTES + 2 * json.length;
}
