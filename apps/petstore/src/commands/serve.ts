import { resolve } from 'node:path';
import { Command } from 'commander';
import type { FastifyInstance } from 'fastify';
import { baseUrls, listeningPort } from '../addresses.ts';
import { type Config, readConfig } from '../config.ts';
import { generateKey } from '../keys/key.ts';
import { buildServer } from '../server.ts';
import { openStore, sqlitePath } from '../store/open-store.ts';
import { IN_MEMORY } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { UserError } from '../user-error.ts';
import { banner } from './banner.ts';

/** How long requests that are under way may take to finish once the process is told to stop. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

export function serveCommand(version: string): Command {
  return new Command('serve')
    .description('run the API')
    .option('--first-key', 'when the store has no key yet, make one and show it in the banner')
    .action(async (options: { firstKey?: boolean }) => {
      const config = readConfig(process.env);
      const log = createLog(config.logLevel);
      const store = openStore(config.databaseUrl);
      try {
        const app = await buildServer({ config, store, log });
        await listen(app, config);
        stopOnSignal(app, store, log);
        const key = options.firstKey ? await makeFirstKey(store, config) : undefined;
        const urls = baseUrls(config, listeningPort(app, config));
        process.stdout.write(
          banner({
            version,
            environment: config.environment,
            baseUrl: urls[config.environment],
            data: dataPlace(config),
            firstKey: key,
            hasKeys: (await store.keys.list()).some(({ revokedAt }) => !revokedAt),
          }),
        );
        log.info(
          { port: listeningPort(app, config), environment: config.environment },
          'listening',
        );
      } catch (error) {
        await store.close();
        throw error;
      }
    });
}

async function makeFirstKey(store: Store, config: Config): Promise<string | undefined> {
  const made = generateKey('first key', config.environment, new Date());
  return (await store.keys.addFirst(made)) ? made.key : undefined;
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, host, port);
  }
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new UserError(
        `Port ${port} on ${host} is taken by another program. Stop that one, or set PETSTORE_PORT to another port (0 picks a free one).`,
      );
    case 'EACCES':
      return new UserError(
        `This user may not listen on port ${port}. Set PETSTORE_PORT to one above 1023.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new UserError(
        `${host} is no address of this machine. Set PETSTORE_HOST to one that is, such as 127.0.0.1, or to 0.0.0.0 for all of them.`,
      );
    default:
      return error;
  }
}

/** The first signal lets requests under way finish, within bounds; a second one ends at once. */
function stopOnSignal(app: FastifyInstance, store: Store, log: Log): void {
  let isStopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info({ signal }, 'stopping');
    const deadline = setTimeout(() => {
      log.error({ timeoutMs: SHUTDOWN_TIMEOUT_MS }, 'requests did not finish in time');
      process.exit(1);
    }, SHUTDOWN_TIMEOUT_MS);
    await app.close();
    await store.close();
    clearTimeout(deadline);
    log.info('stopped');
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

function dataPlace({ databaseUrl }: Config): string {
  const path = sqlitePath(databaseUrl) ?? databaseUrl;
  return path === IN_MEMORY ? 'in memory, gone when the process ends' : resolve(path);
}
