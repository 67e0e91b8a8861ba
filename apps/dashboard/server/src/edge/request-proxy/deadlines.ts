import { ProxyError } from './proxy-error.ts';

/** The times of one exchange. Its signal is aborted with a ProxyError when one is up, or when it is ended before. */
export class Deadlines {
  readonly #ending = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /**
   * Starts a time in milliseconds, which `clearTimeout` stops. `what` did not happen within it. Throws the signal's
   * reason where the exchange has ended.
   */
  start(ms: number, what: string): NodeJS.Timeout {
    this.signal.throwIfAborted();
    const refusal = new ProxyError('timeout', `${what} within ${ms / 1_000} seconds.`);
    const timer = setTimeout(() => this.end(refusal), ms);
    this.#timers.push(timer);
    return timer;
  }

  end(reason: ProxyError): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#ending.abort(reason);
  }
}
