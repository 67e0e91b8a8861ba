import { ApiError } from '@petstore/http/errors.ts';
import type { Log } from '@petstore/service/log.ts';
import type { Metrics } from '@petstore/service/metrics/instruments.ts';
import { full, rateLimited } from '../../http/api-error.ts';
import type { ServiceResponse } from '../../http/service-response.ts';
import type { EventLogs } from '../../store/contract/event-logs.ts';
import { LogTail } from './log-tail.ts';
import type { StreamFormat } from './stream-format.ts';

/** How often a stream that has nothing to tell says that it lives, in milliseconds. */
export const HEARTBEAT_MS = 15_000;

/** How often the key of a stream is looked at again, in milliseconds. */
const CHECK_MS = 1_000;

/** How long to wait for a stream of others to end. */
const FULL_SECONDS = 5;

/** How many events are written at once. */
const BATCH = 100;

/**
 * When this many bytes wait for a client, its stream reads no more of the log until the client has taken them. So a
 * slow client costs little memory and delays nobody. A client that takes nothing loses its connection: see Connections.
 */
const MAX_BUFFERED_BYTES = 65_536;

interface StreamsDeps {
  readonly logs: EventLogs;
  readonly log: Log;
  readonly metrics: Metrics;
  /** How many streams there may be at once, and how many of one key. */
  readonly maxStreams: number;
  readonly maxStreamsOfKey: number;
}

export interface StreamOptions {
  /** The log that it follows. */
  readonly store: string;
  readonly keyId: string;
  /** It begins with the event after this one. */
  readonly after: bigint;
  /** Whether its client has to be told where that is: it may have to connect anew before the first event. */
  readonly tellsPosition: boolean;
  readonly format: StreamFormat;
  /** Whether the key may still read events. */
  readonly isAllowed: () => Promise<boolean>;
}

interface Stream extends StreamOptions {
  readonly response: ServiceResponse;
  position: bigint;
  lastWriteAt: number;
  isReading: boolean;
  isBehind: boolean;
}

/** All streams of events, bounded in number and in memory. */
export class EventStreams {
  readonly #deps: StreamsDeps;
  readonly #streams = new Set<Stream>();
  readonly #tails = new Map<string, LogTail>();
  readonly #ends;
  readonly #sent;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: StreamsDeps) {
    this.#deps = deps;
    const { metrics } = deps;
    const name = 'petstore_events_streams';
    metrics.gauge(name, 'Streams of events that are open.', () => this.#streams.size);
    this.#ends = metrics.counter(
      `${name}_ended_total`,
      'Streams of events that the service ended, by reason.',
    );
    for (const reason of ['key', 'expired', 'stop'] as const) this.#ends.with({ reason });
    this.#sent = metrics
      .counter('petstore_events_streamed_bytes_total', 'What was written to streams of events.')
      .with();
  }

  /** Throws ApiError where there are too many streams: `rate_limited` for those of a key, else `unavailable`. */
  refuseTooMany(keyId: string): void {
    const { maxStreams, maxStreamsOfKey } = this.#deps;
    if (this.#isClosed) throw full('The service is about to stop.', 1);
    if (this.#streams.size >= maxStreams) {
      throw full('Too many streams of events are open.', FULL_SECONDS);
    }
    let own = 0;
    for (const stream of this.#streams) if (stream.keyId === keyId) own++;
    if (own < maxStreamsOfKey) return;
    throw rateLimited(
      `The API key has ${maxStreamsOfKey} streams of events open already.`,
      FULL_SECONDS,
    );
  }

  /** Streams events until the client leaves or loses its right, its position is no longer kept, or the service stops. */
  open(response: ServiceResponse, options: StreamOptions): void {
    const { format, after, tellsPosition } = options;
    response.writeHead(200, {
      'content-type': `${format.mediaType}; charset=utf-8`,
      'cache-control': 'no-store',
      // Proxies that gather a response before they send it on would hold events back.
      'x-accel-buffering': 'no',
      ...(tellsPosition && { 'last-event-id': `${after}` }),
    });
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    response.streamsSince = performance.now();
    response.write(format.preamble + (tellsPosition ? format.position(after) : ''));
    const stream: Stream = {
      ...options,
      response,
      position: after,
      lastWriteAt: performance.now(),
      isReading: false,
      isBehind: true,
    };
    this.#streams.add(stream);
    response.on('close', () => this.#forget(stream));
    response.on('drain', () => void this.#advance(stream));
    this.#timer ??= setInterval(() => this.#checkStreams(), CHECK_MS).unref();
    this.#tailOf(options.store).start();
    void this.#advance(stream);
  }

  /** Ends all streams; their clients go on elsewhere, where they were. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) this.#end(stream, 'stop');
  }

  #tailOf(store: string): LogTail {
    let tail = this.#tails.get(store);
    if (!tail) {
      const { logs, log } = this.#deps;
      tail = new LogTail(
        logs.of(store),
        () => this.#tell(store),
        (error) => log.warn({ err: error }, 'events could not be read; the service tries again'),
      );
      this.#tails.set(store, tail);
    }
    return tail;
  }

  #tell(store: string): void {
    for (const stream of this.#streams) {
      if (stream.store !== store) continue;
      stream.isBehind = true;
      void this.#advance(stream);
    }
  }

  /** Writes what the log has for a stream, as long as its client takes it. */
  async #advance(stream: Stream): Promise<void> {
    if (stream.isReading) return;
    stream.isReading = true;
    const { response, format, store } = stream;
    try {
      while (this.#streams.has(stream) && response.writableLength < MAX_BUFFERED_BYTES) {
        stream.isBehind = false;
        const read = await this.#tailOf(store).read(stream.position, BATCH, format);
        if (!('text' in read)) return this.#end(stream, 'expired');
        if (read.last === stream.position && !stream.isBehind) return;
        if (!this.#streams.has(stream) || read.text === '') continue;
        stream.position = read.last;
        stream.lastWriteAt = performance.now();
        this.#sent.add(Buffer.byteLength(read.text));
        response.write(read.text);
      }
    } catch (error) {
      // The check of all streams reads again.
      stream.isBehind = true;
      this.#deps.log.warn({ err: error }, 'events could not be read; the service tries again');
    } finally {
      stream.isReading = false;
    }
  }

  #checkStreams(): void {
    const now = performance.now();
    for (const stream of this.#streams) {
      const { response, format } = stream;
      if (now - stream.lastWriteAt >= HEARTBEAT_MS) {
        stream.lastWriteAt = now;
        // A client that has not read the last one does not get another.
        if (response.writableLength === 0) response.write(format.heartbeat);
      }
      stream.isAllowed().then(
        (isAllowed) => isAllowed || this.#end(stream, 'key'),
        () => {}, // The store cannot tell now; it is asked again.
      );
      if (stream.isBehind) void this.#advance(stream);
    }
  }

  #end(stream: Stream, reason: 'key' | 'expired' | 'stop'): void {
    if (!this.#streams.has(stream)) return;
    this.#ends.with({ reason }).add();
    const { response } = stream;
    response.shouldKeepAlive = false;
    response.end();
    this.#forget(stream);
  }

  #forget(stream: Stream): void {
    this.#streams.delete(stream);
    const isFollowed = [...this.#streams].some(({ store }) => store === stream.store);
    if (!isFollowed) {
      this.#tails.get(stream.store)?.stop();
      this.#tails.delete(stream.store);
    }
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** The error of a position whose next event is no longer kept, or that no event has had yet. */
export function lostPosition(
  after: bigint,
  { oldest, newest }: { oldest: bigint; newest: bigint },
): ApiError {
  if (after > newest) {
    return new ApiError(
      'invalid_cursor',
      `No event has had the id ${after} yet; the newest is ${newest}. Was a backup restored? Read the animals anew.`,
    );
  }
  return new ApiError(
    'events_expired',
    `The events ${after + 1n} to ${oldest - 1n} are no longer kept; the oldest is ${oldest}. Read the animals and orders anew, and then events from the oldest on.`,
  );
}
