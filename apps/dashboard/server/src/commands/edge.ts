import { setTimeout as sleep } from 'node:timers/promises';
import { activatedSockets } from '@petstore/service/activated-sockets.ts';
import { createLog, type Log } from '@petstore/service/log.ts';
import { stopOnSignal } from '@petstore/service/shutdown.ts';
import { readWorkers } from '@petstore/service/workers/count.ts';
import { type Command, Option } from 'commander';
import { addressesOf } from '../addresses.ts';
import { type Config, readConfig } from '../config.ts';
import { type EdgePorts, GRACE_PERIOD_MS, openEdge } from '../configured-edge.ts';
import type { EdgeSockets } from '../edge/edge-server.ts';
import { checkDatabaseAndEdge, startOperations } from '../operations/operations.ts';
import { openOwnZone } from '../zone/own-zone.ts';
import { subcommand } from './subcommand.ts';

/** How long it may take to stop, in milliseconds. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

interface Options {
  readonly workers?: number;
  readonly worker?: boolean;
}

export function edgeCommand(version: string): Command {
  return (
    subcommand('edge')
      .description(
        'Serve sites alone, without the dashboard; as many of these as you like on one database.',
      )
      .option(
        '--workers <number>',
        'how many processes share the ports and the work; auto: one for each core. SIGHUP has new ones take their place, of the program as it is then (default: this process alone)',
        readWorkers,
      )
      // For the processes that this one starts.
      .addOption(new Option('--worker').hideHelp())
      .action(async ({ workers, worker }: Options) => {
        const config = readConfig(process.env);
        // Loaded only with workers: most edges are one process.
        if (worker) {
          const { workAtEdge } = await import('../edge-workers.ts');
          return workAtEdge(config, SHUTDOWN_TIMEOUT_MS);
        }
        const log = createLog(config.logLevel);
        const sockets = Object.fromEntries(activatedSockets(['http', 'https']));
        if (workers === undefined) return serveAlone(config, version, log, sockets);
        const { superviseEdge } = await import('../edge-workers.ts');
        const timeoutMs = SHUTDOWN_TIMEOUT_MS;
        const say = (at: EdgePorts) => tell(config, at);
        return superviseEdge({ config, version, log, workers, sockets, timeoutMs, say });
      })
  );
}

async function serveAlone(
  config: Config,
  version: string,
  log: Log,
  sockets: EdgeSockets,
): Promise<void> {
  const operations = await startOperations(config, { log, version });
  const { metrics, readiness, port: operatorPort } = operations;
  const edge = await openEdge(config, { log, sockets, metrics }).catch(async (error) => {
    await operations.close();
    throw error;
  });
  const zone = await openOwnZone(config, log).catch(async (error) => {
    await edge.close();
    await operations.close();
    throw error;
  });
  checkDatabaseAndEdge(readiness, { db: edge.db, host: config.edge.host, port: edge.port });
  readiness.started();
  const close = async () => {
    readiness.stopping();
    if (config.shutdownDelayMs > 0) await sleep(config.shutdownDelayMs);
    await Promise.all([edge.close({ gracePeriodMs: GRACE_PERIOD_MS }), zone?.close()]);
    await operations.close();
  };
  stopOnSignal({ close, timeoutMs: SHUTDOWN_TIMEOUT_MS + config.shutdownDelayMs, log });
  tell(config, { ...edge, operatorPort });
  log.info({ port: edge.port, httpsPort: edge.httpsPort }, 'edge listening');
}

function tell(config: Config, { port, httpsPort, operatorPort }: EdgePorts): void {
  const { site } = addressesOf(config, {
    dashboard: config.port,
    edge: port,
    edgeHttps: httpsPort,
  });
  process.stdout.write(
    `Sites are served at ${site('project').replace('project.', 'PROJECT.')}\n` +
      `Custom domains are served over TLS on port ${httpsPort}\n${
        operatorPort === undefined ? '' : `Metrics and readiness are on port ${operatorPort}\n`
      }`,
  );
}
