import type { IncomingMessage } from 'node:http';
import { countHeader, isAuthority } from '@petstore/http/request-head.ts';
import type { ActiveKey } from '../keys/key.ts';
import type { KeyUsage } from '../keys/key-usage.ts';
import { covers } from '../keys/scope.ts';
import type { RateLimiter } from '../rate-limits/rate-limiter.ts';
import type { RouteSeries } from '../telemetry/http-metrics.ts';
import type { RequestObserver } from '../telemetry/request-observer.ts';
import { readTraceContext } from '../telemetry/trace-context.ts';
import type { AnswerError } from './error-handler.ts';
import { type Made, respondMade } from './json-answers.ts';
import { parseJsonBody } from './json-body.ts';
import { MAX_BODY_BYTES } from './limits.ts';
import { type Handler, headerLines, type ServiceResponse } from './service-response.ts';
import type { Validator } from './validation.ts';

/** A path to which things are posted that the key's scope `pets:write` lets it make. */
interface Creation {
  readonly path: string;
  readonly validate: Validator;
  /** Resolves when it is stored for good. */
  readonly create: (valid: unknown) => Promise<Made>;
}

export interface ShortCreatesDeps {
  /** The active key whose Authorization header this is known to be, as of this moment. */
  readonly keyOf: (authorization: string) => ActiveKey | undefined;
  readonly usage: KeyUsage;
  readonly observer: RequestObserver;
  /** Undefined where keys have no limit. */
  readonly limiter: RateLimiter | undefined;
  readonly answerError: AnswerError;
  /** Whether a request was answered, and its connection ended, while it was still arriving. */
  readonly isCutOff: (request: IncomingMessage) => boolean;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * The short way of the plainest creates: a POST to the one path, of a JSON body whose length is known,
 * with one Host and one Authorization header that was found good since the last commit of anyone. It
 * is answered in front of the router, which costs as much as all that is done with the body.
 *
 * Whatever is out of the ordinary in the head of a request takes the long way. What is wrong with the
 * body is told here, in the same words, since they come from the same functions.
 */
export class ShortCreates {
  readonly #deps: ShortCreatesDeps;
  /** The line that says which limit keys have. */
  readonly #policyLine: string;
  #creation: Creation | undefined;
  #series: RouteSeries | undefined;

  constructor(deps: ShortCreatesDeps) {
    this.#deps = deps;
    const { limiter } = deps;
    this.#policyLine = limiter ? headerLines(['ratelimit-policy', limiter.policy]) : '';
  }

  /** Says what is made by a POST to a path. There is one such path. */
  answerAt(creation: Creation): void {
    this.#creation = creation;
    this.#series = this.#deps.observer.series('POST', creation.path);
  }

  /** Sends everything the long way from now on, which tells clients that the connection ends. */
  close(): void {
    this.#creation = undefined;
  }

  /** Answers requests, or sends them the long way. */
  inFrontOf(longWay: Handler): Handler {
    return (request, response) => {
      if (!this.#take(request, response)) longWay(request, response);
    };
  }

  /** Takes a request on; false, with nothing done, where it has to take the long way. */
  #take(request: IncomingMessage, response: ServiceResponse): boolean {
    const { keyOf, usage, limiter, observer, isCutOff, now } = this.#deps;
    const creation = this.#creation;
    const series = this.#series;
    if (!creation || !series || !isPlain(request, creation.path)) return false;
    const key = keyOf(request.headers.authorization ?? '');
    const at = now();
    if (!key || key.expiresAt <= at || !covers(key.scopes, 'pets:write')) return false;
    if (limiter) {
      const state = limiter.take(key.id);
      if (state === undefined) return false;
      response.addLines(`${this.#policyLine}ratelimit: ${state}\r\n`);
    }
    usage.note(key.id, at);
    observer.follow(series, creation.path, response, key);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // A body that still comes behind a 408 must not be carried out.
      if (!isCutOff(request)) this.#create(creation, chunks, response);
    });
    return true;
  }

  async #create(
    { validate, create }: Creation,
    chunks: readonly Buffer[],
    response: ServiceResponse,
  ): Promise<void> {
    try {
      const [first = Buffer.alloc(0)] = chunks;
      const bytes = chunks.length > 1 ? Buffer.concat(chunks) : first;
      const validation = validate(parseJsonBody(bytes));
      if ('error' in validation) throw validation.error;
      respondMade(response, await create(validation.value));
    } catch (error) {
      this.#deps.answerError(error, response, readTraceContext(response.req.headers)?.traceId);
    }
  }
}

/** Whether the head of a request says nothing that the long way would have to think about. */
function isPlain({ method, url, httpVersion, headers, rawHeaders }: IncomingMessage, path: string) {
  return (
    method === 'POST' &&
    url === path &&
    httpVersion === '1.1' &&
    headers['content-type'] === 'application/json' &&
    // Without one, NaN. One beside a transfer coding got no further than the parser.
    Number(headers['content-length']) <= MAX_BODY_BYTES &&
    headers['content-encoding'] === undefined &&
    headers['idempotency-key'] === undefined &&
    headers['if-match'] === undefined &&
    headers['if-none-match'] === undefined &&
    headers.expect === undefined &&
    countHeader(rawHeaders, 'authorization') === 1 &&
    countHeader(rawHeaders, 'content-type') === 1 &&
    countHeader(rawHeaders, 'host') === 1 &&
    isAuthority(headers.host ?? '')
  );
}
