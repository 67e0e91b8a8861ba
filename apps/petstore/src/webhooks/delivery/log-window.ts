import type { StoredEvent } from '../../events/event.ts';
import type { EventLog, KeptEvents } from '../../store/contract/event-logs.ts';

/** Events of a log that are kept in memory, for webhooks that are at nearly the same place. */
const KEPT = 5_000;

/** Events that are read at once. */
const BATCH = 500;

/** The newest events of a log, which are read once for all webhooks. */
export class LogWindow {
  readonly #log: EventLog;
  #events: StoredEvent[] = [];

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Reads on, where there is more; `after`: where to begin, when nothing was read yet. */
  async advance(after: bigint): Promise<void> {
    const last = this.#events.at(-1)?.id ?? after;
    const events = await this.#log.list(last, BATCH);
    if (!Array.isArray(events)) {
      this.#events = [];
      return;
    }
    this.#events.push(...events);
    if (this.#events.length > KEPT) this.#events = this.#events.slice(-KEPT / 2);
  }

  /** The events after an id that are in memory, at once; else those of the log, or what is kept there. */
  after(id: bigint, limit: number): StoredEvent[] | Promise<StoredEvent[] | KeptEvents> {
    const first = this.#events[0]?.id;
    if (first !== undefined && id >= first - 1n) {
      const skipped = Number(id - first) + 1;
      return this.#events.slice(skipped, skipped + limit);
    }
    return Promise.resolve(this.#log.list(id, limit));
  }
}
