import { createLog, type Log } from '@petstore/service/log.ts';
import { stopOnSignal } from '@petstore/service/shutdown.ts';
import { bindSockets, givenSockets } from '@petstore/service/workers/sockets.ts';
import { Supervisor } from '@petstore/service/workers/supervisor.ts';
import { joinSupervisor, socketOf } from '@petstore/service/workers/worker.ts';
import type { Config } from './config.ts';
import { type ConfiguredEdge, cannotListen, openEdge, PATIENCE_MS } from './configured-edge.ts';
import { DEFAULT_TIMEOUTS } from './edge/connections/limits.ts';
import type { EdgeSockets } from './edge/edge-server.ts';
import { openOwnZone } from './zone/own-zone.ts';

/**
 * How long the clients of a replaced worker may keep their connections without a request, in milliseconds: all of them
 * have ended theirs by then, or had them ended at the time that each response told them.
 */
const REPLACED_PATIENCE_MS = DEFAULT_TIMEOUTS.keepAlive + 5_000;

interface SupervisedEdge {
  readonly config: Config;
  readonly log: Log;
  readonly workers: number;
  readonly sockets: EdgeSockets;
  /** How long it may take to stop, in milliseconds. */
  readonly timeoutMs: number;
  readonly say: (at: { readonly port: number; readonly httpsPort: number }) => void;
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
  const { config, log, workers, sockets, timeoutMs, say } = options;
  const { host, httpPort, httpsPort } = config.edge;
  const bind = async (port: number, given: number | undefined) => {
    if (given !== undefined) return givenSockets(given, workers);
    return bindSockets(host, port, workers).catch((error) => {
      throw cannotListen(error, config.edge, port);
    });
  };
  const http = await bind(httpPort, sockets.http);
  const https = await bind(httpsPort, sockets.https);
  const supervisor = new Supervisor({
    program: process.argv[1] as string,
    args: ['edge', '--worker'],
    ports: [http, https],
    log,
    handlers: (worker) => ({ begin: (): Beginning => ({ worker: worker().number, workers }) }),
    onEnd: () => {},
  });
  process.on('SIGHUP', () => void supervisor.reload());
  const zone = await openOwnZone(config, log);
  await supervisor.start();
  stopOnSignal({
    close: async () => {
      const [isClean] = await Promise.all([supervisor.stop(), zone?.close()]);
      if (!isClean) process.exitCode = 1;
    },
    // Each worker has half of that time, and then ends itself.
    timeoutMs: 2 * timeoutMs,
    log,
  });
  say({ port: http.port, httpsPort: https.port });
  log.info({ port: http.port, httpsPort: https.port, workers }, 'edge listening');
}

/** Serves sites as one of several processes; `superviseEdge` has started this one. */
export async function workAtEdge(whole: Config, timeoutMs: number): Promise<void> {
  let edge: ConfiguredEdge | undefined;
  const channel = joinSupervisor({
    timeoutMs,
    patienceMs: REPLACED_PATIENCE_MS,
    stop: async ({ isReplaced }, hurry) =>
      edge?.close({ patienceMs: isReplaced ? REPLACED_PATIENCE_MS : PATIENCE_MS, hurry }),
  });
  const { worker, workers } = await channel.request<Beginning>('begin');
  const log = createLog(whole.logLevel, { worker });
  const sockets = { http: socketOf(0), https: socketOf(1) };
  edge = await openEdge(shareOf(whole, workers), { log, sockets });
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
