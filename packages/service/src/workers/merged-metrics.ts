import { setTimeout as sleep } from 'node:timers/promises';
import { aggregate, countsOf, exposition, type Snapshot } from '../metrics/exposition.ts';
import type { Metrics } from '../metrics/instruments.ts';
import type { Worker } from './supervisor.ts';

/** How long a worker may take to send its metrics, in milliseconds; after that, the last ones that it sent count. */
const TIMEOUT_MS = 2_000;

/** The metrics of a supervisor and its workers, those that have ended included. */
export class MergedMetrics {
  readonly #own: ReturnType<typeof exposition>;
  readonly #workers: () => Iterable<Worker>;
  readonly #last = new Map<Worker, Snapshot>();
  /** The counts of workers that have ended. */
  #ended: Snapshot = [];

  constructor(own: Metrics, workers: () => Iterable<Worker>) {
    this.#own = exposition(own);
    this.#workers = workers;
  }

  /** All metrics, in Prometheus' text format. */
  async write(): Promise<string> {
    await Promise.all([...this.#workers()].map((worker) => this.#ask(worker)));
    const own = await this.#own.snapshot();
    return aggregate([own, this.#ended, ...this.#last.values()]).metrics();
  }

  /** Takes the metrics that a worker sent. */
  told(worker: Worker, snapshot: Snapshot): void {
    this.#last.set(worker, snapshot);
  }

  /** A worker has ended: the last counts that it sent stay. */
  async ended(worker: Worker): Promise<void> {
    const last = this.#last.get(worker);
    this.#last.delete(worker);
    if (!last) return;
    this.#ended = [...this.#ended, ...countsOf(last)];
    const sum = await aggregate([this.#ended]).getMetricsAsJSON();
    this.#ended = sum as unknown as Snapshot;
  }

  async #ask(worker: Worker): Promise<void> {
    const pending = worker.channel.request<Snapshot>('snapshot');
    const snapshot = await Promise.race([pending, sleep(TIMEOUT_MS)]).catch(() => undefined);
    if (snapshot && [...this.#workers()].includes(worker)) this.told(worker, snapshot);
  }
}
