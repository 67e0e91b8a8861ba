import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLog } from '@petstore/service/log.ts';
import type { Exposition, Snapshot } from '@petstore/service/metrics/exposition.ts';
import { Metrics } from '@petstore/service/metrics/instruments.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Channel } from '@petstore/service/workers/channel.ts';
import { joinSupervisor, socketOf } from '@petstore/service/workers/worker.ts';
import type { FastifyListenOptions } from 'fastify';
import {
  buildInfo,
  CLOSE_TIMEOUT_MS,
  openForService,
  runService,
} from '../commands/run-service.ts';
import type { Config } from '../config.ts';
import type { FailureEvent } from '../rate-limits/failed-authentications.ts';
import type { Share, SharedLimits } from '../rate-limits/quota.ts';
import { StoreUnavailableError } from '../store/store-errors.ts';
import type { Beginning } from './messages.ts';

/** Serves as one of several processes; `supervise` has started this one. */
export async function work(whole: Config, version: string): Promise<void> {
  const metrics = new Metrics();
  const limits = new LimitsOfWorkers();
  let loading: Promise<() => Promise<Snapshot>> | undefined;
  const snapshot = async () => {
    loading ??= import('@petstore/service/metrics/exposition.ts').then(
      ({ exposition }) => exposition(metrics).snapshot,
    );
    return (await loading)();
  };
  let service: Awaited<ReturnType<typeof runService>> | undefined;
  const channel: Channel = joinSupervisor({
    handlers: {
      snapshot,
      returnUnused: async (keyId: string) => {
        // Shares that were sent before this request have been counted by then.
        await nextTurn();
        return limits.returnUnused(keyId);
      },
      failure: (event: FailureEvent) => limits.hear(event),
    },
    async stop(how) {
      await service?.close(how);
      await channel.request('leave');
      await channel.request('metricsAtEnd', await snapshot());
    },
    timeoutMs: whole.shutdownDelayMs + whole.shutdownTimeoutMs + CLOSE_TIMEOUT_MS,
  });
  const beginning = await channel.request<Beginning>('begin');
  const { worker, workers, port, hasWriter, databaseUrl } = beginning;
  const log = createLog(whole.logLevel, { worker });
  if (beginning.version !== version) {
    throw new UserError(
      `The program is version ${version} now, and the service runs version ${beginning.version}. Stop the service and start it again.`,
    );
  }
  if (hasWriter && whole.databaseUrl !== databaseUrl) {
    throw new UserError(
      'PETSTORE_DATABASE_URL names another database than before. To move to it, stop the service and start it again.',
    );
  }
  const config = { ...shareOf(whole, workers), port };
  buildInfo(metrics, config, version);
  const { store } = await openForService(config, {
    ...{ log, metrics },
    ...(hasWriter && {
      groupWriter: (group) => channel.request('write', group),
      // The writer counts the commands of all processes.
      maxQueuedWrites: whole.maxQueuedWrites,
    }),
  });
  service = await runService({
    ...{ config, version, log, metrics, store },
    shared: limits.over(channel, beginning),
    metricsOfAll: metricsOver(channel),
    listen: async (app) => {
      // Fastify passes all of it to Node; its types lack file descriptors. It needs a host, or it takes localhost for
      // one.
      const socket: FastifyListenOptions & { fd: number } = { fd: socketOf(0), host: '127.0.0.1' };
      await app.listen(socket);
    },
  });
  channel.notify('ready');
  log.info({ port }, 'listening');
}

function metricsOver(channel: Channel): Exposition {
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    write: () => channel.request<string>('metrics'),
  };
}

/** What this process counts together with the other workers. */
class LimitsOfWorkers {
  returnUnused: (keyId: string) => number = () => 0;
  #hear: ((event: FailureEvent) => void) | undefined;
  /** Events that arrived before this process counts. */
  readonly #early: FailureEvent[] = [];

  hear(event: FailureEvent): void {
    if (this.#hear) this.#hear(event);
    else this.#early.push(event);
  }

  over(channel: Channel, { failures }: Beginning): SharedLimits {
    return {
      quotas: {
        take: (keyId, quota, wanted) =>
          channel.request<Share>('takeQuota', { keyId, quota, wanted }).catch((cause) => {
            throw new StoreUnavailableError('the supervisor is gone', { cause });
          }),
      },
      onRecall: (returnUnused) => {
        this.returnUnused = returnUnused;
      },
      failures: {
        known: failures,
        tell: (event) => channel.notify('failure', event),
        onEvent: (hear) => {
          this.#hear = hear;
          for (const event of this.#early.splice(0)) hear(event);
        },
      },
    };
  }
}

/** A pool has connections for reads and others for writes. */
const MIN_POOL_SIZE = 2;

/** One worker's share of the limits that the configuration sets for the whole service. */
function shareOf(config: Config, workers: number): Config {
  const part = (whole: number) => Math.ceil(whole / workers);
  return {
    ...config,
    databasePoolSize: Math.max(MIN_POOL_SIZE, Math.floor(config.databasePoolSize / workers)),
    pageCacheBytes: Math.floor(config.pageCacheBytes / workers),
    maxConnections: part(config.maxConnections),
    maxEventStreams: part(config.maxEventStreams),
    maxRequestsInFlight: part(config.maxRequestsInFlight),
    maxQueuedWrites: part(config.maxQueuedWrites),
  };
}
