import type { Violation } from './history.ts';
import type { Statistics } from './statistics.ts';

/** No request may take longer: a write is over after 7 s in the service, a request after 12 in the balancer. */
const LIMIT_MS = 15_000;

/** The statuses besides success that a client may get. */
const ALLOWED = [404, 409, 412, 422, 503, 502, 504];

export interface ApiResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each caller checks what it reads of it.
  readonly body: any;
  readonly etag: string | null;
  /** The address of the next page, without the host. */
  readonly next: string | undefined;
  readonly sentAt: number;
}

/** Sends requests to the API as a client does, counts them, and reports responses that violate its guarantees. */
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

  /** Undefined: the service did not carry the request out, or nobody knows whether it did. */
  async request(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  ): Promise<ApiResponse | undefined> {
    const statistics = method === 'GET' ? this.#reads : this.#writes;
    const sentAt = performance.now();
    const response = await this.#send(method, path, body, headers, sentAt);
    const isDone = response !== undefined && response.status < 500;
    statistics.count(isDone, performance.now() - sentAt);
    return isDone ? response : undefined;
  }

  async #send(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
    sentAt: number,
  ): Promise<ApiResponse | undefined> {
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
        sentAt,
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
