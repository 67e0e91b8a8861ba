import type { ServiceResponse } from '../http/service-response.ts';
import { onceClientLeaves } from './client-leaves.ts';

/** Requests of one sandbox that may wait at the same time, in one process. */
export const MAX_WAITING_PER_SANDBOX = 20;

/**
 * The requests that wait because a fault says so. Their number is bounded, for each sandbox and for all, so that they
 * leave the service's limit of requests under way to others; and none waits any longer once the service stops.
 */
export class Waits {
  readonly #most: number;
  readonly #bySandbox = new Map<string, number>();
  readonly #inside = new Set<() => void>();
  readonly #ends = new Set<() => void>();
  #isClosed = false;

  /** `most`: how many may wait in all. */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Counts a request of a sandbox until its response ends, its client leaves, or the function that it returns is called;
   * undefined where there are too many.
   */
  enter(sandbox: string, response: ServiceResponse): (() => void) | undefined {
    const { socket } = response.req;
    // Its client has left already, so nothing would say that it ends. It does not wait either.
    if (socket.destroyed) return () => {};
    const own = this.#bySandbox.get(sandbox) ?? 0;
    if (own >= MAX_WAITING_PER_SANDBOX || this.#inside.size >= this.#most) return undefined;
    this.#bySandbox.set(sandbox, own + 1);
    const leave = () => {
      if (!this.#inside.delete(leave)) return;
      response.off('close', leave);
      forget();
      const left = (this.#bySandbox.get(sandbox) ?? 1) - 1;
      if (left === 0) this.#bySandbox.delete(sandbox);
      else this.#bySandbox.set(sandbox, left);
    };
    this.#inside.add(leave);
    response.on('close', leave);
    // A response that is behind another on its connection is not told when that closes.
    const forget = onceClientLeaves(socket, leave);
    return leave;
  }

  /** Waits, unless the service stops, the client leaves, or there is nothing to wait for. In milliseconds. */
  wait(ms: number, { req }: ServiceResponse): Promise<void> {
    if (ms <= 0 || this.#isClosed || req.socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        forget();
        this.#ends.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#ends.add(end);
      const forget = onceClientLeaves(req.socket, end);
    });
  }

  /** Ends every wait, and lets none begin. */
  close(): void {
    this.#isClosed = true;
    for (const end of [...this.#ends]) end();
  }
}
