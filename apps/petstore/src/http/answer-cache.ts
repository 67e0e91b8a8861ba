import type { IncomingMessage, ServerResponse } from 'node:http';
import { ByteBoundedCache } from '../byte-bounded-cache.ts';
import type { Representation } from './conditional.ts';
import { countHeader } from './raw-headers.ts';

/** Credentials kept at most. */
const MAX_CREDENTIALS = 10_000;

export interface AnswerCacheDeps {
  /**
   * A number that is another one when anything may have been committed since; undefined where the
   * store cannot tell, and then nothing is kept.
   */
  readonly revision: (() => number) | undefined;
  /** What answers may weigh, in bytes; 0 keeps none. */
  readonly maxBytes: number;
  readonly nextRequestId: () => string;
}

/**
 * The short way of the most frequent request: a GET whose answer was made before, with credentials
 * that were found good before, while nobody has committed anything since. It is answered before the
 * router sees it, at nearly the speed of a server that does nothing else.
 *
 * Everything that is kept was put here by a request that took the long way, with every check on it.
 * Whatever is out of the ordinary takes the long way again.
 */
export class AnswerCache {
  readonly #deps: AnswerCacheDeps;
  readonly #answers: ByteBoundedCache<Representation>;
  readonly #credentials = new Set<string>();
  #revision: number | undefined;

  constructor(deps: AnswerCacheDeps) {
    this.#deps = deps;
    this.#answers = new ByteBoundedCache(deps.maxBytes);
  }

  /**
   * What to give to `keep…` later. Ask before reading what you mean to keep: if anything is
   * committed in between, it will not be kept.
   */
  revision(): number | undefined {
    const { revision, maxBytes } = this.#deps;
    if (!revision || maxBytes === 0) return undefined;
    const now = revision();
    if (now !== this.#revision) {
      this.#answers.clear();
      this.#credentials.clear();
      this.#revision = now;
    }
    return now;
  }

  /** Keeps the answer to a GET of a target, the same for everyone whose credentials are good. */
  keepAnswer(target: string, answer: Representation, revision: number | undefined): void {
    if (revision === undefined || revision !== this.#revision) return;
    this.#answers.set(target, answer, 2 * answer.body.length);
  }

  /** Keeps the Authorization header of an active key. */
  keepCredentials(authorization: string, revision: number | undefined): void {
    if (revision === undefined || revision !== this.#revision) return;
    if (this.#credentials.size < MAX_CREDENTIALS) this.#credentials.add(authorization);
  }

  /** Whether the Authorization header is known to be that of an active key, as of this moment. */
  isKnown(authorization: string): boolean {
    return this.revision() !== undefined && this.#credentials.has(authorization);
  }

  /** Answers from memory and returns true; or returns false, and the request takes the long way. */
  answer(
    { method, url = '', headers, rawHeaders }: IncomingMessage,
    response: ServerResponse,
  ): boolean {
    const answer = this.#answers.get(url);
    if (
      answer === undefined ||
      method !== 'GET' ||
      headers['if-none-match'] !== undefined ||
      headers.authorization === undefined ||
      !this.#credentials.has(headers.authorization) ||
      countHeader(rawHeaders, 'authorization') !== 1 ||
      countHeader(rawHeaders, 'host') !== 1 ||
      // Last, since it is the dearest: it empties what was just looked at if anyone has committed.
      this.revision() === undefined ||
      this.#answers.get(url) !== answer
    ) {
      return false;
    }
    response.writeHead(200, [...answer.headers, 'x-request-id', this.#deps.nextRequestId()]);
    response.end(answer.body);
    return true;
  }
}
