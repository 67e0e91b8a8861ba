import type { EdgeLog } from '../log.ts';
import type { Site, SiteSource } from './site-source.ts';

/** How often counts are stored, in milliseconds, and how soon after the first request that there was for long. */
const STORED_EVERY_MS = 10_000;
const STORED_FIRST_MS = 500;

/** How many sites' counts are stored at a time; the others wait in memory, for the next time. */
const MAX_STORED = 500;

/**
 * Counts the requests of sites whose host moves, which are few: of all others a request costs one look at a field. The
 * counts of this process are added to those of others in the store, every ten seconds while there are any.
 */
export class RequestCounts {
  readonly #source: SiteSource;
  readonly #log: EdgeLog;
  #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #storedAt = Number.NEGATIVE_INFINITY;
  #storing: Promise<void> = Promise.resolve();

  constructor(source: SiteSource, log: EdgeLog) {
    this.#source = source;
    this.#log = log;
  }

  /** Counts one request. */
  count({ countedAs }: Site): void {
    if (countedAs === undefined) return;
    this.#counts.set(countedAs, (this.#counts.get(countedAs) ?? 0) + 1);
    this.#timer ??= this.#schedule();
  }

  /** Stores what was counted. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#counts.size > 0) this.#store();
    clearTimeout(this.#timer);
    await this.#storing;
  }

  #schedule(): NodeJS.Timeout {
    const waitMs = this.#storedAt + STORED_EVERY_MS - performance.now();
    return setTimeout(() => this.#store(), Math.max(STORED_FIRST_MS, waitMs)).unref();
  }

  #store(): void {
    const all = [...this.#counts];
    const batch = new Map(all.slice(0, MAX_STORED));
    this.#counts = new Map(all.slice(MAX_STORED));
    this.#storedAt = performance.now();
    this.#timer = this.#counts.size > 0 ? this.#schedule() : undefined;
    this.#storing = this.#storing.then(async () => {
      try {
        await this.#source.addRequests?.(batch);
      } catch (error) {
        // They are no more than a hint for people, and the store may be unavailable for long.
        this.#log.warn({ err: error }, 'the counted requests could not be stored');
      }
    });
  }
}
