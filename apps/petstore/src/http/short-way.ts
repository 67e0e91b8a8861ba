import type { IncomingMessage } from 'node:http';
import { countHeader, isAuthority } from '@petstore/http/request-head.ts';
import type { ActiveKey } from '../keys/key.ts';
import type { KeyUsage } from '../keys/key-usage.ts';
import { covers } from '../keys/scope.ts';
import type { RateLimiter } from '../rate-limits/rate-limiter.ts';
import type { Changes } from '../store/store.ts';
import type { RouteSeries } from '../telemetry/http-metrics.ts';
import type { RequestObserver } from '../telemetry/request-observer.ts';
import type { Representation } from './conditional.ts';
import { type Handler, headerLines, type ServiceResponse } from './service-response.ts';

/** Credentials and targets kept at most, and how long each may be to be kept. */
const MAX_CREDENTIALS = 10_000;
const MAX_TARGETS = 1_000;
const MAX_TARGET_LENGTH = 500;
const MAX_CREDENTIALS_LENGTH = 100;

/** Requests that are answered together at most: the first of them waits for the last. */
const MAX_TOGETHER = 64;

/** Makes the answer to a GET whose target is known to be good; undefined where it has to be refused. */
type Answer = () => Representation | undefined;

/** The same for all targets below a path; `rest` is what follows it. */
type AnswerBelow = (rest: string) => Representation | undefined;

/** The route whose answers these are: its pattern, and where they are counted. */
interface Route {
  readonly pattern: string;
  readonly series: RouteSeries;
}

export interface ShortWayDeps {
  /** Undefined where the store cannot tell of changes; then every request takes the long way. */
  readonly changes: Changes | undefined;
  readonly usage: KeyUsage;
  readonly observer: RequestObserver;
  /** Undefined where keys have no limit. */
  readonly limiter: RateLimiter | undefined;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * The short way of the plainest requests: a GET without a body, with one Host, one Authorization header that
 * was found good since the last commit of anyone, no condition, and a target that is known to be good.
 * It is answered in front of the router, whose hooks would ask the same questions again.
 *
 * Everything that is known was learnt from a request that took the long way, with every check on it,
 * or is checked as strictly by the resource. Whatever is out of the ordinary, errors included, takes
 * the long way.
 *
 * Requests that arrive in one turn of the event loop are answered together at its end. So the store
 * is asked once for all of them whether anything changed, and their clients are woken up in one go:
 * to write to the socket of a client that sleeps costs as much as all else that an answer takes.
 */
export class ShortWay {
  readonly #deps: ShortWayDeps;
  /** The line that says which limit keys have. */
  readonly #policyLine: string;
  readonly #targets = new Map<string, { readonly answer: Answer; readonly route: Route }>();
  readonly #credentials = new Map<string, ActiveKey>();
  #prefix = '';
  #below: { readonly answer: AnswerBelow; readonly route: Route } | undefined;
  #revision: number | undefined;
  /** Answers to be made, each with its request. */
  #waiting: ServiceResponse[] = [];
  /** When the first of those that wait arrived, in milliseconds. */
  #waitingSince = 0;
  #isClosed = false;
  /** Answers a request in full, with every check on it. */
  #longWay: Handler = () => {};

  constructor(deps: ShortWayDeps) {
    this.#deps = deps;
    const { limiter } = deps;
    this.#policyLine = limiter ? headerLines(['ratelimit-policy', limiter.policy]) : '';
  }

  /** Says how a target of a route that has passed all checks is answered from now on. */
  rememberTarget(target: string, pattern: string, answer: Answer): void {
    if (!this.#deps.changes || this.#isClosed || target.length > MAX_TARGET_LENGTH) return;
    this.#targets.set(target, { answer, route: this.#routeOf(pattern) });
    // The oldest goes; if it is in demand it comes back with the next request.
    const [oldest = ''] = this.#targets.keys();
    if (this.#targets.size > MAX_TARGETS) this.#targets.delete(oldest);
  }

  /** Says how a route's targets below a path are answered, such as `/v1/pets/`. There is one such path. */
  answerBelow(prefix: string, pattern: string, answer: AnswerBelow): void {
    this.#prefix = prefix;
    this.#below = { answer, route: this.#routeOf(pattern) };
  }

  /** The store's revision when keyOf was called last: what to give to rememberCredentials. */
  get revision(): number | undefined {
    return this.#revision;
  }

  /**
   * Keeps the Authorization header of an active key until the next commit. `revision` is from before the
   * store was asked for the key: if anything was committed since, the key is not kept.
   */
  rememberCredentials(authorization: string, key: ActiveKey, revision: number | undefined): void {
    const isCurrent = revision !== undefined && revision === this.#revision;
    const hasRoom =
      this.#credentials.size < MAX_CREDENTIALS && authorization.length <= MAX_CREDENTIALS_LENGTH;
    if (isCurrent && hasRoom) this.#credentials.set(authorization, key);
  }

  /** The active key whose Authorization header this is known to be, as of this moment. */
  keyOf(authorization: string): ActiveKey | undefined {
    const revision = this.#deps.changes?.revision();
    if (revision !== this.#revision) {
      this.#credentials.clear();
      this.#revision = revision;
    }
    return this.#credentials.get(authorization);
  }

  /** Sends everything the long way from now on, which tells clients that the connection ends. */
  close(): void {
    this.#isClosed = true;
    this.#targets.clear();
    this.#below = undefined;
  }

  /** Answers requests, at the end of this turn of the event loop, or sends them the long way. */
  inFrontOf(longWay: Handler): Handler {
    this.#longWay = longWay;
    return (request, response) => this.#take(request, response);
  }

  #take(request: IncomingMessage, response: ServiceResponse): void {
    if (!response.shouldKeepAlive || !this.#isPlain(request)) {
      this.#longWay(request, response);
      return;
    }
    if (this.#waiting.length === 0) {
      this.#waitingSince = performance.now();
      setImmediate(() => this.#answerWaiting());
    }
    this.#waiting.push(response);
    if (this.#waiting.length === MAX_TOGETHER) this.#answerWaiting();
  }

  /** Says no more than that it may take the short way: what is known is not checked to be current. */
  #isPlain({ method, httpVersion, headers, rawHeaders, url = '' }: IncomingMessage): boolean {
    return (
      method === 'GET' &&
      httpVersion === '1.1' &&
      (this.#targets.has(url) || (this.#below !== undefined && url.startsWith(this.#prefix))) &&
      headers['if-match'] === undefined &&
      headers['if-none-match'] === undefined &&
      headers['content-length'] === undefined &&
      headers['transfer-encoding'] === undefined &&
      headers.expect === undefined &&
      headers.authorization !== undefined &&
      this.#credentials.has(headers.authorization) &&
      countHeader(rawHeaders, 'authorization') === 1 &&
      countHeader(rawHeaders, 'host') === 1 &&
      isAuthority(headers.host ?? '')
    );
  }

  #answerWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const { changes, limiter, now } = this.#deps;
    const at = now();
    const limitedAt = limiter?.now();
    const rest: ServiceResponse[] = [];
    changes?.atOneMoment(() => {
      for (const response of waiting) {
        // Its client has gone meanwhile, and nothing would tell of it any more.
        if (response.req.socket.destroyed) continue;
        if (!this.#answer(response, at, limitedAt)) rest.push(response);
      }
    });
    for (const response of rest) this.#longWay(response.req, response);
  }

  /**
   * Answers a request; false, with nothing done, where it has to take the long way. `at`: the time by the
   * clock, and `limitedAt` by the limiter's.
   */
  #answer(response: ServiceResponse, at: number, limitedAt: number | undefined): boolean {
    const { limiter, usage, observer } = this.#deps;
    const request = response.req;
    const { headers, url = '' } = request;
    const key = this.keyOf(headers.authorization ?? '');
    if (!key || key.expiresAt <= at || !covers(key.scopes, 'pets:read')) return false;
    const target = this.#targets.get(url);
    const route = target ? target.route : this.#below?.route;
    let answer: Representation | undefined;
    try {
      answer = target ? target.answer() : this.#below?.answer(url.slice(this.#prefix.length));
    } catch {
      return false; // The long way meets the same error, and knows how to tell it.
    }
    if (!answer || !route) return false;
    let lines = answer.lines + this.#policyLine;
    if (limiter) {
      // Counted last: what takes the long way is counted there.
      const state = limiter.take(key.id, limitedAt);
      if (state === undefined) return false;
      lines += `ratelimit: ${state}\r\n`;
    }
    response.respond(200, lines, answer.body, answer.encoding);
    usage.note(key.id, at);
    const durationMs = performance.now() - this.#waitingSince;
    observer.answered(route.series, durationMs, route.pattern, request, key);
    return true;
  }

  #routeOf(pattern: string): Route {
    return { pattern, series: this.#deps.observer.series('GET', pattern) };
  }
}
