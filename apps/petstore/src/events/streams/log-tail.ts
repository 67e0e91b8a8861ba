import type { EventLog, KeptEvents } from '../../store/contract/event-logs.ts';
import type { StoredEvent } from '../event.ts';
import type { StreamFormat } from './stream-format.ts';

/** How often the log is looked at for new events, in milliseconds. */
const POLL_MS = 100;

/** How many of the newest events are kept in memory: whoever follows reads those. */
const KEPT = 1_000;

/** An event with its text in each format: all streams of a format send the same text. */
interface FormattedEvent {
  readonly event: StoredEvent;
  readonly texts: Map<StreamFormat, string>;
}

/**
 * The end of a log, which many follow: it is read once for all of them. `onNews` is called whenever there are new
 * events, `onError` when the log could not be read, which is tried again.
 */
export class LogTail {
  readonly #log: EventLog;
  readonly #onNews: () => void;
  readonly #onError: (error: unknown) => void;
  #newest: FormattedEvent[] = [];
  #after: bigint | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: EventLog, onNews: () => void, onError: (error: unknown) => void) {
    this.#log = log;
    this.#onNews = onNews;
    this.#onError = onError;
  }

  start(): void {
    this.#timer ??= setTimeout(() => void this.#poll(), POLL_MS).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /**
   * The texts of the events after an id, as far as they are known, and the id of the last one; or what is kept where the
   * next event is not kept any more.
   */
  async read(
    after: bigint,
    limit: number,
    format: StreamFormat,
  ): Promise<{ text: string; last: bigint } | KeptEvents> {
    const oldest = this.#newest[0]?.event.id;
    if (oldest !== undefined && after >= oldest - 1n) {
      const skipped = Number(after - oldest) + 1;
      return textsOf(this.#newest.slice(skipped, skipped + limit), after, format);
    }
    const events = await this.#log.list(after, limit);
    if (!Array.isArray(events)) return events;
    return textsOf(
      events.map((event) => ({ event, texts: new Map() })),
      after,
      format,
    );
  }

  async #poll(): Promise<void> {
    try {
      if (this.#after === undefined) {
        this.#after = (await this.#log.kept()).newest;
        // Streams may have read before this first look; they read again, for events that were committed in between.
        this.#onNews();
      }
      const events = await this.#log.list(this.#after, KEPT);
      if (Array.isArray(events)) {
        this.#take(events);
      } else {
        // Everything was swept meanwhile.
        this.#newest = [];
        this.#after = events.newest;
        this.#onNews();
      }
    } catch (error) {
      this.#onError(error);
    }
    if (this.#timer) this.#timer = setTimeout(() => void this.#poll(), POLL_MS).unref();
  }

  #take(events: readonly StoredEvent[]): void {
    const last = events.at(-1);
    if (!last) return;
    this.#newest.push(...events.map((event) => ({ event, texts: new Map() })));
    if (this.#newest.length > KEPT) this.#newest = this.#newest.slice(-KEPT);
    this.#after = last.id;
    this.#onNews();
  }
}

function textsOf(
  all: readonly FormattedEvent[],
  after: bigint,
  format: StreamFormat,
): { text: string; last: bigint } {
  let text = '';
  for (const { event, texts } of all) {
    let written = texts.get(format);
    if (written === undefined) {
      written = format.write(event);
      texts.set(format, written);
    }
    text += written;
  }
  return { text, last: all.at(-1)?.event.id ?? after };
}
