import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from '@petstore/service/workers/supervisor.ts';
import { countsOf, exposition, type Snapshot, together } from '../telemetry/exposition.ts';
import type { Metrics } from '../telemetry/instruments.ts';

/** How long a worker may take to tell its metrics, in milliseconds; then those count that it told last. */
const TIMEOUT_MS = 2_000;

/** The metrics of a supervisor and its workers, those that have ended included. */
export class MergedMetrics {
  readonly #own: ReturnType<typeof exposition>;
  readonly #workers: () => Iterable<Worker>;
  readonly #last = new Map<Worker, Snapshot>();
  /** What those have counted that have ended. */
  #ended: Snapshot = [];

  constructor(own: Metrics, workers: () => Iterable<Worker>) {
    this.#own = exposition(own);
    this.#workers = workers;
  }

  /** All of them, in Prometheus' text format. */
  async write(): Promise<string> {
    await Promise.all([...this.#workers()].map((worker) => this.#ask(worker)));
    const own = await this.#own.snapshot();
    return together([own, this.#ended, ...this.#last.values()]).metrics();
  }

  /** What a worker told. */
  told(worker: Worker, snapshot: Snapshot): void {
    this.#last.set(worker, snapshot);
  }

  /** A worker has ended: what it counted stays, as far as it was told. */
  async ended(worker: Worker): Promise<void> {
    const last = this.#last.get(worker);
    this.#last.delete(worker);
    if (!last) return;
    this.#ended = [...this.#ended, ...countsOf(last)];
    const sum = await together([this.#ended]).getMetricsAsJSON();
    this.#ended = sum as unknown as Snapshot;
  }

  async #ask(worker: Worker): Promise<void> {
    const pending = worker.channel.request<Snapshot>('snapshot');
    const snapshot = await Promise.race([pending, sleep(TIMEOUT_MS)]).catch(() => undefined);
    if (snapshot && [...this.#workers()].includes(worker)) this.told(worker, snapshot);
  }
}
