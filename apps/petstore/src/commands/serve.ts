import type { Command } from 'commander';
import type { FastifyInstance } from 'fastify';
import { baseUrls, listeningPort } from '../addresses.ts';
import { type Config, DEFAULT_DATABASE_URL, readConfig } from '../config.ts';
import { generateKey } from '../keys/key.ts';
import { openStore, placeOf, sqlitePath, withoutPassword } from '../store/open-store.ts';
import { IN_MEMORY } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { UserError } from '../user-error.ts';
import { banner } from './banner.ts';
import { subcommand } from './subcommand.ts';

/** How long requests that are under way may take to finish once the process is told to stop. */
const SHUTDOWN_TIMEOUT_MS = 10_000;

export function serveCommand(version: string): Command {
  return subcommand('serve')
    .description('Run the API.')
    .option('--first-key', 'when the store has no key yet, make one and show it in the banner')
    .action(async (options: { firstKey?: boolean }) => {
      const config = readConfig(process.env);
      // Loaded here, since the other commands start sooner and smaller without it.
      const { buildServer } = await import('../server.ts');
      const log = createLog(config.logLevel);
      const store = await openStore(config.databaseUrl, {
        pageCacheBytes: config.pageCacheBytes,
        poolSize: config.databasePoolSize,
        log,
      });
      try {
        const app = await buildServer({ config, store, log });
        await listen(app, config);
        stopOnSignal(app, store, log);
        const isInMemory = sqlitePath(config.databaseUrl) === IN_MEMORY;
        // Nobody else can make a key for a store in memory.
        const key = options.firstKey || isInMemory ? await makeFirstKey(store, config) : undefined;
        const urls = baseUrls(config, listeningPort(app, config));
        process.stdout.write(
          banner({
            version,
            environment: config.environment,
            baseUrl: urls[config.environment],
            data: dataPlace(config),
            firstKey: key,
            settings: settingsOf(config),
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
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new UserError(
        `PETSTORE_HOST is ${JSON.stringify(host)}, which is no address and no name that resolves to one. Set it to an address of this machine, such as 127.0.0.1.`,
      );
    case 'EADDRNOTAVAIL':
      return new UserError(
        `${host} is no address of this machine. Set PETSTORE_HOST to one that is, such as 127.0.0.1, or to 0.0.0.0 for all of them.`,
      );
    default:
      return error;
  }
}

/**
 * How soon after the first signal another one is taken for the same, in milliseconds. One Ctrl-C in
 * `npm start` arrives twice: from the terminal, and passed on by npm.
 */
const SAME_SIGNAL_MS = 500;

/** The first signal lets requests under way finish, within bounds; a second one ends at once. */
function stopOnSignal(app: FastifyInstance, store: Store, log: Log): void {
  let stoppingSince: number | undefined;
  const stop = async (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
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

/**
 * The variables without which `petstore keys` would find another store or make another key.
 * undefined for a value that must not be shown.
 */
function settingsOf({ environment, databaseUrl }: Config): Record<string, string | undefined> {
  const isPublic = withoutPassword(databaseUrl) === databaseUrl;
  return {
    ...(environment !== 'production' && { PETSTORE_ENV: environment }),
    ...(databaseUrl !== DEFAULT_DATABASE_URL && {
      PETSTORE_DATABASE_URL: isPublic ? databaseUrl : undefined,
    }),
  };
}

function dataPlace({ databaseUrl }: Config): string {
  const isInMemory = sqlitePath(databaseUrl) === IN_MEMORY;
  return isInMemory ? 'in memory, gone when the process ends' : placeOf(databaseUrl);
}
