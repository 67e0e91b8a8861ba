import { setTimeout as sleep } from 'node:timers/promises';
import { createLog, type Log } from '@petstore/service/log.ts';
import type { Snapshot } from '@petstore/service/metrics/exposition.ts';
import { Metrics } from '@petstore/service/metrics/instruments.ts';
import { stopOnSignal } from '@petstore/service/shutdown.ts';
import type { Channel } from '@petstore/service/workers/channel.ts';
import type { MergedMetrics } from '@petstore/service/workers/merged-metrics.ts';
import { bindSockets, givenSockets } from '@petstore/service/workers/sockets.ts';
import { Supervisor, type Worker } from '@petstore/service/workers/supervisor.ts';
import { joinSupervisor, socketOf } from '@petstore/service/workers/worker.ts';
import { sql } from 'kysely';
import type { Config } from './config.ts';
import { cannotListen, type EdgePorts, GRACE_PERIOD_MS, openEdge } from './configured-edge.ts';
import { DEFAULT_TIMEOUTS } from './edge/connections/limits.ts';
import type { EdgeSockets } from './edge/edge-server.ts';
import { probeEdge } from './operations/edge-probe.ts';
import { startOperations } from './operations/operations.ts';
import { type OwnZone, openOwnZone } from './zone/own-zone.ts';

/**
 * How long the clients of a replaced worker may keep their connections without a request, in milliseconds: all of them
 * have ended theirs by then, or had them ended at the time that each response told them.
 */
const REPLACED_GRACE_PERIOD_MS = DEFAULT_TIMEOUTS.keepAlive + 5_000;

interface SupervisedEdge {
  readonly config: Config;
  readonly version: string;
  readonly log: Log;
  readonly workers: number;
  readonly sockets: EdgeSockets;
  /** How long it may take to stop, in milliseconds. */
  readonly timeoutMs: number;
  readonly say: (at: EdgePorts) => void;
}

/** What a worker is told at its start. */
interface Beginning {
  readonly worker: number;
  readonly workers: number;
}

/**
 * Serves sites with several processes. This one serves none itself; it answers for the installation's own zone, which
 * the replacement of a worker does not interrupt so. Rejects with UserError as `openEdge`.
 */
export async function superviseEdge(options: SupervisedEdge): Promise<void> {
  const { config, version, log, workers, sockets, timeoutMs, say } = options;
  const { host, httpPort, httpsPort } = config.edge;
  const bind = async (port: number, given: number | undefined) => {
    if (given !== undefined) return givenSockets(given, workers);
    return bindSockets(host, port, workers).catch((error) => {
      throw cannotListen(error, config.edge, port);
    });
  };
  const http = await bind(httpPort, sockets.http);
  const https = await bind(httpsPort, sockets.https);
  let merged: MergedMetrics | undefined;
  const operations = await startOperations(config, {
    ...{ log, version },
    async ofAll(own) {
      const { MergedMetrics } = await import('@petstore/service/workers/merged-metrics.ts');
      merged = new MergedMetrics(own, () => supervisor.workers);
      return { contentType: METRICS_TYPE, write: () => (merged as MergedMetrics).write() };
    },
  });
  const deaths = operations.metrics
    ?.counter('dashboard_edge_worker_deaths_total', 'How often a worker died.')
    .with();
  const supervisor = new Supervisor({
    program: process.argv[1] as string,
    args: ['edge', '--worker'],
    ports: [http, https],
    log,
    handlers: (worker) => ({
      begin: (): Beginning => ({ worker: worker().number, workers }),
      metricsAtEnd: (snapshot: Snapshot) => merged?.told(worker(), snapshot),
    }),
    onEnd(worker, isDeath) {
      if (isDeath) deaths?.add();
      void merged?.ended(worker);
    },
  });
  operations.metrics?.gauge(
    'dashboard_edge_workers',
    'Processes that serve sites.',
    () => supervisor.serving,
  );
  process.on('SIGHUP', () => void supervisor.reload());
  let zone: OwnZone | undefined;
  try {
    zone = await openOwnZone(config, log);
    await supervisor.start();
  } catch (error) {
    await Promise.all([supervisor.stop(), zone?.close()]);
    await operations.close();
    throw error;
  }
  const { readiness } = operations;
  readiness.add('database', () => askOne(supervisor.workers), 'The database does not respond.');
  readiness.add('edge', () => probeEdge(host, http.port), 'The edge does not respond.');
  readiness.started();
  stopOnSignal({
    close: async () => {
      readiness.stopping();
      if (config.shutdownDelayMs > 0) await sleep(config.shutdownDelayMs);
      const [isClean] = await Promise.all([supervisor.stop(), zone?.close()]);
      if (!isClean) process.exitCode = 1;
      await operations.close();
    },
    // Each worker has half of that time, and then ends itself.
    timeoutMs: 2 * timeoutMs + config.shutdownDelayMs,
    log,
  });
  say({ port: http.port, httpsPort: https.port, operatorPort: operations.port });
  log.info({ port: http.port, httpsPort: https.port, workers }, 'edge listening');
}

/** Whether the database responds to the workers, which have a connection each. */
async function askOne(workers: Iterable<Worker>): Promise<undefined> {
  await Promise.any([...workers].map(({ channel }) => channel.request('askDatabase')));
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Serves sites as one of several processes; `superviseEdge` has started this one. */
export async function workAtEdge(whole: Config, timeoutMs: number): Promise<void> {
  let edge: Awaited<ReturnType<typeof openEdge>> | undefined;
  // Their port is the supervisor's.
  const metrics = whole.operator && new Metrics();
  let loading: Promise<() => Promise<Snapshot>> | undefined;
  const snapshot = async () => {
    if (!metrics) return [];
    loading ??= import('@petstore/service/metrics/exposition.ts').then(
      ({ exposition }) => exposition(metrics).snapshot,
    );
    return (await loading)();
  };
  const channel: Channel = joinSupervisor({
    handlers: {
      snapshot,
      askDatabase: async () => {
        if (!edge) throw new Error('the edge is starting');
        await sql`SELECT 1`.execute(edge.db);
      },
    },
    timeoutMs,
    patienceMs: REPLACED_GRACE_PERIOD_MS,
    async stop({ isReplaced }, endGracePeriod) {
      await edge?.close({
        gracePeriodMs: isReplaced ? REPLACED_GRACE_PERIOD_MS : GRACE_PERIOD_MS,
        endGracePeriod,
      });
      if (metrics) await channel.request('metricsAtEnd', await snapshot());
    },
  });
  const { worker, workers } = await channel.request<Beginning>('begin');
  const log = createLog(whole.logLevel, { worker });
  const sockets = { http: socketOf(0), https: socketOf(1) };
  edge = await openEdge(shareOf(whole, workers), { log, sockets, metrics });
  channel.notify('ready');
  log.info('edge listening');
}

/** One worker's share of the limits that the configuration sets for the whole edge. */
function shareOf(config: Config, workers: number): Config {
  const part = (whole: number) => Math.ceil(whole / workers);
  const { edge } = config;
  return {
    ...config,
    databasePoolSize: part(config.databasePoolSize),
    edge: {
      ...edge,
      cacheBytes: part(edge.cacheBytes),
      tlsCacheHosts: part(edge.tlsCacheHosts),
      connectionsPerAddress: part(edge.connectionsPerAddress),
    },
  };
}
