import { IN_MEMORY, sqlitePath } from '@petstore/service/database-url.ts';
import type { Log } from '@petstore/service/log.ts';
import type { Snapshot } from '@petstore/service/metrics/exposition.ts';
import { Metrics } from '@petstore/service/metrics/instruments.ts';
import { isPostgresUrl } from '@petstore/service/postgres-address.ts';
import { stopOnSignal } from '@petstore/service/shutdown.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Handlers } from '@petstore/service/workers/channel.ts';
import { MergedMetrics } from '@petstore/service/workers/merged-metrics.ts';
import { bindSockets } from '@petstore/service/workers/sockets.ts';
import { Supervisor, type Worker } from '@petstore/service/workers/supervisor.ts';
import type { BannerFacts } from '../commands/banner.ts';
import {
  buildInfo,
  CLOSE_TIMEOUT_MS,
  cannotListen,
  openForService,
} from '../commands/run-service.ts';
import { factsOf } from '../commands/service-facts.ts';
import type { Config } from '../config.ts';
import { FailedAuthentications, type FailureEvent } from '../rate-limits/failed-authentications.ts';
import { LentQuotas } from '../rate-limits/lent-quotas.ts';
import type { Store } from '../store/store.ts';
import type { Beginning, QuotaRequest } from './messages.ts';

export interface Supervised {
  readonly config: Config;
  readonly version: string;
  readonly log: Log;
  readonly workers: number;
  readonly firstKey?: boolean;
  readonly untilStdinEnds?: boolean;
  readonly say: (facts: BannerFacts) => void;
}

/** Serves with several processes. This one serves no requests: it keeps what the others share. */
export async function supervise(options: Supervised): Promise<void> {
  const { config, version, log, workers, untilStdinEnds } = options;
  if (sqlitePath(config.databaseUrl) === IN_MEMORY) {
    throw new UserError(
      '--workers needs a database that processes can share, but a store in memory belongs to one process. Set PETSTORE_DATABASE_URL to a file, or leave the option out.',
    );
  }
  const metrics = new Metrics();
  buildInfo(metrics, config, version);
  const hasWriter = !isPostgresUrl(config.databaseUrl);
  const { store, port } = await openForService(config, {
    log,
    // The workers have the caches of pages, and the connections to a server.
    pageCacheBytes: 0,
    metrics: hasWriter ? metrics : new Metrics(),
  });
  let endWorkers = async (): Promise<unknown> => undefined;
  try {
    const sockets = await bindSockets(config.host, port, workers).catch((error) => {
      throw cannotListen(error, { ...config, port });
    });
    const shared = new Shared({ ...options, port: sockets.port, store, metrics });
    const supervisor = new Supervisor({
      program: process.argv[1] as string,
      args: ['serve', '--worker'],
      ports: [sockets],
      log,
      handlers: (worker) => shared.handlers(worker),
      onEnd: (worker, isDeath) => shared.ended(worker, isDeath),
    });
    shared.watch(supervisor);
    process.on('SIGHUP', () => void supervisor.reload());
    await supervisor.start();
    endWorkers = () => supervisor.stop();
    stopOnSignal({
      close: async () => {
        if (!(await supervisor.stop())) process.exitCode = 1;
        if (hasWriter) await store.close();
      },
      // Each worker has that time, and then ends itself.
      timeoutMs: config.shutdownDelayMs + config.shutdownTimeoutMs + 2 * CLOSE_TIMEOUT_MS,
      ...{ log, untilStdinEnds },
    });
    options.say(await factsOf(store, config, { ...options, port: sockets.port }));
    if (!hasWriter) await store.close();
    log.info({ port: sockets.port, environment: config.environment, workers }, 'listening');
  } catch (error) {
    // They use the writer.
    await endWorkers();
    await store.close();
    throw error;
  }
}

interface SharedDeps extends Supervised {
  readonly port: number;
  readonly store: Store;
  readonly metrics: Metrics;
}

/** What the workers of a service share, with the handlers of their requests. */
class Shared {
  readonly #deps: SharedDeps;
  readonly #quotas = new LentQuotas(() => performance.now());
  readonly #failures: FailedAuthentications;
  readonly #borrowers = new WeakMap<Worker, Parameters<LentQuotas['take']>[0]>();
  readonly #deaths;
  #supervisor: Supervisor | undefined;
  #merged: MergedMetrics | undefined;

  constructor(deps: SharedDeps) {
    const { config, metrics } = deps;
    this.#deps = deps;
    this.#failures = new FailedAuthentications(config.authFailuresPerMinute, () =>
      performance.now(),
    );
    this.#deaths = metrics
      .counter('petstore_worker_deaths_total', 'How often a worker died.')
      .with();
    metrics.gauge(
      'petstore_workers',
      'Processes that serve.',
      () => this.#supervisor?.serving ?? 0,
    );
  }

  watch(supervisor: Supervisor): void {
    this.#supervisor = supervisor;
    this.#merged = new MergedMetrics(this.#deps.metrics, () => supervisor.workers);
  }

  handlers(worker: () => Worker): Handlers {
    const { config, workers, port, version, store } = this.#deps;
    return {
      begin: (): Beginning => ({
        worker: worker().number,
        ...{ workers, port, version, databaseUrl: config.databaseUrl },
        hasWriter: store.writeGroup !== undefined,
        failures: this.#failures.state,
      }),
      write: (group: readonly unknown[]) => store.writeGroup?.(group),
      takeQuota: ({ keyId, quota, wanted }: QuotaRequest) =>
        this.#quotas.take(this.#borrowerOf(worker()), keyId, quota, wanted),
      leave: () => this.#quotas.leave(this.#borrowerOf(worker())),
      failure: (event: FailureEvent) => {
        this.#failures.hear(event);
        for (const other of this.#supervisor?.workers ?? []) {
          if (other !== worker()) other.channel.notify('failure', event);
        }
      },
      metrics: () => this.#merged?.write(),
      metricsAtEnd: (snapshot: Snapshot) => this.#merged?.told(worker(), snapshot),
    };
  }

  ended(worker: Worker, isDeath: boolean): void {
    if (isDeath) this.#deaths.add();
    this.#merged?.ended(worker);
  }

  /** Returns the same one for a worker each time. */
  #borrowerOf(worker: Worker) {
    const known = this.#borrowers.get(worker);
    if (known) return known;
    const borrower = {
      returnUnused: (keyId: string) => worker.channel.request<number>('returnUnused', keyId),
    };
    this.#borrowers.set(worker, borrower);
    return borrower;
  }
}
