import type { Violation } from './history.ts';
import type { Statistics } from './statistics.ts';

/** No request may take longer: a write is over after 7 s in the service, a request after 12 in the balancer. */
const LIMIT_MS = 15_000;

/** What a client may get besides a success, by what it asked. */
const ALLOWED = [404, 409, 412, 422, 503, 502, 504];

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: it is what a service answered, looked at where it is used.
  readonly body: any;
  readonly etag: string | null;
  /** The address of the next page, without the host. */
  readonly next: string | undefined;
  readonly askedAt: number;
}

/** Asks the API as a client does, counts, and tells of responses that must not be. */
export class Api {
  readonly #base: string;
  readonly #key: string;
  readonly #reads: Statistics;
  readonly #writes: Statistics;
  readonly #violated: (violation: Violation) => void;

  constructor(
    base: string,
    key: string,
    statistics: { readonly reads: Statistics; readonly writes: Statistics },
    violated: (violation: Violation) => void,
  ) {
    this.#base = base;
    this.#key = key;
    this.#reads = statistics.reads;
    this.#writes = statistics.writes;
    this.#violated = violated;
  }

  /** Undefined: nobody knows whether it was carried out, or it was not. */
  async ask(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  ): Promise<Answer | undefined> {
    const statistics = method === 'GET' ? this.#reads : this.#writes;
    const askedAt = performance.now();
    const answer = await this.#send(method, path, body, headers, askedAt);
    const isDone = answer !== undefined && answer.status < 500;
    statistics.count(isDone, performance.now() - askedAt);
    return isDone ? answer : undefined;
  }

  async #send(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
    askedAt: number,
  ): Promise<Answer | undefined> {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const patch = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    let text = '';
    try {
      const response = await fetch(`${this.#base}${path}`, {
        method,
        signal,
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(body && { 'content-type': patch }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const { status } = response;
      text = await response.text();
      if (status >= 300 && !ALLOWED.includes(status)) {
        const what = `${method} ${path}: ${status} ${text.slice(0, 300)}`;
        this.#violated({ kind: 'wrong response', what });
        return undefined;
      }
      return {
        status,
        body: status < 500 ? JSON.parse(text) : undefined,
        etag: response.headers.get('etag'),
        next: /<[^>]*?\/v1([^>]*)>\s*;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1],
        askedAt,
      };
    } catch (error) {
      const what = `${method} ${path}`;
      if (signal.aborted)
        this.#violated({ kind: 'no response', what: `${what} within ${LIMIT_MS / 1000} s` });
      else if (error instanceof SyntaxError)
        this.#violated({ kind: 'wrong response', what: `${what}: ${text.slice(0, 300)}` });
      // Anything else is a connection that broke.
      return undefined;
    }
  }
}
