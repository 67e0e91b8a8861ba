import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How finely the event loop is watched, in milliseconds: a shorter turn counts as this long. */
const RESOLUTION_MS = 10;

/** How often what was watched is looked at, in milliseconds. */
const INTERVAL_MS = 100;

/** Turns that are needed to tell an overload from one long pause, as of a garbage collection. */
const MIN_TURNS = 2;

/**
 * Whether the event loop is overloaded. Every request waits for at least one turn of it. The quickest of the last turns
 * decides: a single long turn passes, but when even the quickest is long there is a standing queue, as in CoDel (RFC
 * 8289, section 4).
 */
export class EventLoopDelay {
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
