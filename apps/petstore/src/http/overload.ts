import type { IncomingMessage, ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ApiError } from '@petstore/http/errors.ts';
import { DenseList } from '@petstore/service/dense-list.ts';
import type { Log } from '@petstore/service/log.ts';
import type { Counter, Metrics } from '@petstore/service/metrics/instruments.ts';
import type { Limits } from '../limits.ts';
import type { Store } from '../store/store.ts';
import { TOO_MANY_WRITES } from '../store/store-errors.ts';
import { overloaded } from './api-error.ts';
import { Connections } from './connections.ts';
import { respondError } from './json-response.ts';
import type { Handler, ServiceResponse } from './service-response.ts';

/** What there can be too much of, and the public sentence about it. */
const TOO_MUCH = {
  connections: 'Too many connections are open.',
  eventLoop: 'Requests wait too long for their turn.',
  requests: 'Too many requests are under way.',
  writeQueue: TOO_MANY_WRITES,
} as const;

type Kind = keyof typeof TOO_MUCH;

/** These are served even when all other requests are turned away. */
const FOR_SUPERVISORS = /^\/(livez|readyz(\/reads|\/writes)?|metrics)(\?|$)/;

/** How often the log tells of requests that are turned away, in milliseconds. */
const TELL_INTERVAL_MS = 1_000;

/** How often requests whose clients have gone are removed, in milliseconds. */
const FORGET_INTERVAL_MS = 1_000;

interface OverloadDeps {
  readonly limits: Limits;
  readonly writeQueue: Store['writeQueue'];
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Turns requests away with 503 while there is more to do than can be done soon, so that those let in are served as
 * quickly as ever. It stands in front of the router and parses nothing of a request, so that a 503 costs as little as it
 * can.
 */
export class Overload {
  readonly #limits: Limits;
  readonly #writeQueue: Store['writeQueue'];
  readonly #log: Log;
  readonly #shed: Readonly<Record<Kind, Counter>>;
  readonly #connections: Connections;
  readonly #delay: EventLoopDelay;
  /** Responses to requests under way. */
  readonly #inFlight = new DenseList<ServerResponse>();
  /** Requests that were counted before they were handled. */
  readonly #held = new WeakSet<ServerResponse>();
  #turnedAway: Partial<Record<Kind, number>> = {};
  #telling: NodeJS.Timeout | undefined;

  constructor({ limits, writeQueue, log, metrics }: OverloadDeps) {
    this.#limits = limits;
    this.#writeQueue = writeQueue;
    this.#log = log;
    this.#shed = shedCounts(metrics);
    this.#delay = new EventLoopDelay(limits.maxEventLoopDelayMs);
    this.#connections = new Connections({ ...limits, onDrop: () => this.#note('connections') });
  }

  /** Each kind of which there is too much now, with its sentence. */
  get problems(): Record<Kind, string | undefined> {
    const { maxRequestsInFlight } = this.#limits;
    const saying = (kind: Kind, isTooMuch: boolean) => (isTooMuch ? TOO_MUCH[kind] : undefined);
    return {
      connections: saying('connections', this.#connections.isExceeded),
      eventLoop: saying('eventLoop', this.#delay.isHigh),
      requests: saying('requests', this.#inFlight.size >= maxRequestsInFlight),
      writeQueue: saying('writeQueue', this.#isQueueFull()),
    };
  }

  /** Called once with the server. */
  watch(server: Parameters<Connections['watch']>[0]): void {
    this.#connections.watch(server);
    const forgetting = setInterval(() => this.#forget(), FORGET_INTERVAL_MS).unref();
    server.once('close', () => {
      this.#delay.stop();
      clearInterval(forgetting);
    });
  }

  /** In front of every request: the checks that cost nothing. */
  guard(handle: Handler): Handler {
    return (request, response) => {
      if (request.rawHeaders.length > 2 * this.#limits.maxHeaders) {
        respondError(response, tooManyHeaders(this.#limits.maxHeaders));
        return;
      }
      if (this.#connections.isExceeded && this.#connections.isSurplus(request.socket)) {
        response.shouldKeepAlive = false;
        if (this.#shedUnlessProbe(request, response, 'connections')) return;
      }
      if (this.#delay.isHigh && this.#shedUnlessProbe(request, response, 'eventLoop')) return;
      handle(request, response);
    };
  }

  /** In front of requests whose response takes longer than a turn of the event loop. */
  counted(handle: Handler): Handler {
    return (request, response) => {
      if (this.#held.delete(response) || this.#enter(request, response)) handle(request, response);
    };
  }

  /** Counts a request that waits for others on its connection; false if it was turned away. */
  hold(request: IncomingMessage, response: ServiceResponse): boolean {
    const isIn = this.#enter(request, response);
    if (isIn) this.#held.add(response);
    return isIn;
  }

  /**
   * Has the responses to requests under way say that the connection ends, as all later responses do. Otherwise their
   * clients would send one more request, on a connection that is about to be closed.
   */
  endConnections(): void {
    for (const response of this.#inFlight.values()) response.shouldKeepAlive = false;
  }

  #enter(request: IncomingMessage, response: ServiceResponse): boolean {
    const isShed =
      (this.#inFlight.size >= this.#limits.maxRequestsInFlight &&
        this.#shedUnlessProbe(request, response, 'requests')) ||
      (isWrite(request) &&
        this.#isQueueFull() &&
        this.#shedUnlessProbe(request, response, 'writeQueue'));
    if (isShed) return false;
    // A response whose connection breaks before its turn emits `close`, too, but for a few: see #forget.
    response.on('close', this.#inFlight.add(response));
    return true;
  }

  /**
   * Forgets the responses whose connections are gone: on pipelined connections that broke, some never emit `close`.
   */
  #forget(): void {
    this.#inFlight.retain(({ req }) => !req.socket.destroyed);
  }

  #isQueueFull(): boolean {
    return this.#writeQueue.length >= this.#writeQueue.capacity;
  }

  /** Responds with 503, unless the request is a supervisor's. Whether it did. */
  #shedUnlessProbe(request: IncomingMessage, response: ServiceResponse, kind: Kind): boolean {
    if (FOR_SUPERVISORS.test(request.url ?? '')) return false;
    this.#note(kind);
    respondError(response, overloaded(TOO_MUCH[kind]));
    return true;
  }

  /** A log line for each of thousands would add to the overload. */
  #note(kind: Kind): void {
    this.#shed[kind].add();
    this.#turnedAway[kind] = (this.#turnedAway[kind] ?? 0) + 1;
    this.#telling ??= setTimeout(() => {
      this.#log.warn({ turnedAway: this.#turnedAway }, 'overload: requests were shed');
      this.#turnedAway = {};
      this.#telling = undefined;
    }, TELL_INTERVAL_MS).unref();
  }
}

/** Created at the start: a rate needs a series that was seen before it grew. */
function shedCounts(metrics: Metrics): Record<Kind, Counter> {
  const family = metrics.counter(
    'petstore_http_shed_total',
    'Requests and connections that were turned away under load, by what there was too much of.',
  );
  const count = (reason: string) => family.with({ reason });
  return {
    connections: count('connections'),
    eventLoop: count('event_loop'),
    requests: count('requests'),
    writeQueue: count('write_queue'),
  };
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY']);

function isWrite({ method }: IncomingMessage): boolean {
  return !READING.has(method ?? '');
}

function tooManyHeaders(limit: number): ApiError {
  return new ApiError('headers_too_large', `A request may have at most ${limit} header fields.`);
}

/** How finely the event loop is watched, in milliseconds: a shorter turn counts as this long. */
const RESOLUTION_MS = 10;

/** How often the histogram is read, in milliseconds. */
const INTERVAL_MS = 100;

/** Turns that are needed to tell an overload from one long pause, as of a garbage collection. */
const MIN_TURNS = 2;

/**
 * Whether the event loop is overloaded. Every request waits for at least one turn of it. The quickest of the last turns
 * decides: a single long turn passes, but when even the quickest is long there is a standing queue, as in CoDel (RFC
 * 8289, section 4).
 */
class EventLoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #timer: NodeJS.Timeout;
  isHigh = false;

  /** `maxMs`: how long the quickest turn may take; 0 for any time. */
  constructor(maxMs: number) {
    this.#timer = setInterval(() => {
      if (this.#histogram.count < MIN_TURNS) return;
      this.isHigh = this.#histogram.min > maxMs * 1e6;
      this.#histogram.reset();
    }, INTERVAL_MS).unref();
    if (maxMs > 0) this.#histogram.enable();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
    this.isHigh = false;
  }
}
