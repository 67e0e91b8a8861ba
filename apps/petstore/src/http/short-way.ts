import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Representation } from './conditional.ts';
import { countHeader } from './raw-headers.ts';

/** Credentials and targets kept at most, and how long a target may be to be kept. */
const MAX_CREDENTIALS = 10_000;
const MAX_TARGETS = 1_000;
const MAX_TARGET_LENGTH = 500;

/** Makes the answer to a GET whose target is known to be good; undefined where it has to be refused. */
type Answer = () => Representation | undefined;

/** The same for all targets below a path; `rest` is what follows it. */
type AnswerBelow = (rest: string) => Representation | undefined;

export interface ShortWayDeps {
  /**
   * A number that is another one when anything may have been committed since; undefined where the
   * store cannot tell, and then every request takes the long way.
   */
  readonly revision: (() => number) | undefined;
  readonly nextRequestId: () => string;
}

/**
 * The short way of the plainest requests: a GET with one Host, one Authorization header that was
 * found good since the last commit of anyone, no condition, and a target that is known to be good.
 * It is answered in front of the router, whose hooks would ask the same questions again.
 *
 * Everything that is known was learnt from a request that took the long way, with every check on it,
 * or is checked as strictly by the resource. Whatever is out of the ordinary, errors included, takes
 * the long way.
 */
export class ShortWay {
  readonly #deps: ShortWayDeps;
  readonly #targets = new Map<string, Answer>();
  readonly #credentials = new Set<string>();
  #prefix = '';
  #answerBelow: AnswerBelow | undefined;
  #revision: number | undefined;

  constructor(deps: ShortWayDeps) {
    this.#deps = deps;
  }

  /** Says how a target that has passed all checks is answered from now on. */
  rememberTarget(target: string, answer: Answer): void {
    if (!this.#deps.revision) return;
    if (this.#targets.size < MAX_TARGETS && target.length <= MAX_TARGET_LENGTH) {
      this.#targets.set(target, answer);
    }
  }

  /** Says how targets below a path are answered, such as `/v1/pets/`. There is one such path. */
  answerBelow(prefix: string, answer: AnswerBelow): void {
    this.#prefix = prefix;
    this.#answerBelow = answer;
  }

  /**
   * What to give to rememberCredentials. Ask before asking the store: if anything is committed in
   * between, they are not kept.
   */
  revision(): number | undefined {
    const now = this.#deps.revision?.();
    if (now !== this.#revision) {
      this.#credentials.clear();
      this.#revision = now;
    }
    return now;
  }

  /** Keeps the Authorization header of an active key until the next commit. */
  rememberCredentials(authorization: string, revision: number | undefined): void {
    const isCurrent = revision !== undefined && revision === this.#revision;
    if (isCurrent && this.#credentials.size < MAX_CREDENTIALS) this.#credentials.add(authorization);
  }

  /** Whether an Authorization header is known to be that of an active key, as of this moment. */
  isKnown(authorization: string): boolean {
    return this.revision() !== undefined && this.#credentials.has(authorization);
  }

  /** Answers a request and returns true; or returns false, and the request takes the long way. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const answer = this.#isPlain(request) ? this.#answerTo(request.url ?? '') : undefined;
    if (answer === undefined) return false;
    const id = this.#deps.nextRequestId();
    response.writeHead(200, [...answer.headers, 'x-request-id', id]);
    response.end(answer.body);
    return true;
  }

  #isPlain({ method, httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
    return (
      method === 'GET' &&
      httpVersion === '1.1' &&
      headers['if-none-match'] === undefined &&
      headers.authorization !== undefined &&
      this.isKnown(headers.authorization) &&
      countHeader(rawHeaders, 'authorization') === 1 &&
      countHeader(rawHeaders, 'host') === 1
    );
  }

  #answerTo(target: string): Representation | undefined {
    try {
      const answer = this.#targets.get(target);
      if (answer) return answer();
      if (!target.startsWith(this.#prefix)) return undefined;
      return this.#answerBelow?.(target.slice(this.#prefix.length));
    } catch {
      return undefined; // The long way meets the same error, and knows how to tell it.
    }
  }
}
