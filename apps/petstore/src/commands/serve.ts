import { createLog, type Log } from '@petstore/service/log.ts';
import { Metrics } from '@petstore/service/metrics/instruments.ts';
import { stopOnSignal, UNTIL_STDIN_ENDS } from '@petstore/service/shutdown.ts';
import { readWorkers } from '@petstore/service/workers/count.ts';
import { type Command, Option } from 'commander';
import { listeningPort } from '../addresses.ts';
import { type Config, readConfig } from '../config.ts';
import { type BannerFacts, banner } from './banner.ts';
import { unknownSettings } from './environment.ts';
import {
  buildInfo,
  CLOSE_TIMEOUT_MS,
  listenHere,
  openForService,
  runService,
} from './run-service.ts';
import { factsOf } from './service-facts.ts';
import { subcommand } from './subcommand.ts';

interface Options {
  readonly firstKey?: boolean;
  readonly json?: boolean;
  readonly untilStdinEnds?: boolean;
  readonly workers: number;
  readonly worker?: boolean;
}

export function serveCommand(version: string): Command {
  return (
    subcommand('serve')
      .description('Run the API.')
      .option('--first-key', 'when the store has no key yet, make one and show it in the banner')
      .option(
        '--json',
        'print what the banner says as one line of JSON, for programs that start this one',
      )
      .option(
        '--workers <number>',
        'how many processes share the port and the work; auto: one for each core',
        readWorkers,
        1,
      )
      .option(...UNTIL_STDIN_ENDS)
      // For the processes that this one starts.
      .addOption(new Option('--worker').hideHelp())
      .action(async (options: Options) => {
        const config = readConfig(process.env);
        // Loaded where they are wanted: most services are one process.
        if (options.worker) {
          const { work } = await import('../workers/work.ts');
          return work(config, version);
        }
        const log = createLog(config.logLevel);
        const unknown = unknownSettings(process.env);
        if (unknown.length > 0) {
          log.warn({ names: unknown }, 'unknown settings; petstore --help lists all settings');
        }
        if (options.workers === 1) return serveAlone(config, version, log, options);
        const { supervise } = await import('../workers/supervise.ts');
        const say = (facts: BannerFacts) => tell(facts, options);
        return supervise({ ...options, config, version, log, say });
      })
  );
}

async function serveAlone(
  config: Config,
  version: string,
  log: Log,
  options: Options,
): Promise<void> {
  const metrics = new Metrics();
  buildInfo(metrics, config, version);
  const { store, port } = await openForService(config, { log, metrics });
  const service = await runService({
    ...{ config: { ...config, port }, version, log, metrics, store },
    listen: listenHere,
  });
  stopOnSignal({
    close: () => service.close(),
    timeoutMs: config.shutdownDelayMs + config.shutdownTimeoutMs + CLOSE_TIMEOUT_MS,
    log,
    untilStdinEnds: options.untilStdinEnds,
  });
  try {
    const listening = listeningPort(service.app, config);
    tell(await factsOf(store, config, { version, port: listening, ...options }), options);
    log.info({ port: listening, environment: config.environment }, 'listening');
  } catch (error) {
    await service.close();
    throw error;
  }
}

function tell(facts: BannerFacts, { json }: Options): void {
  process.stdout.write(json ? `${JSON.stringify(facts)}\n` : banner(facts));
}
