import { createRequire } from 'node:module';
import { programCommand, runProgram } from '@petstore/service/commands.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import { openApiCommand } from './commands/openapi.ts';
import { seedCommand } from './commands/seed.ts';
import { serveCommand } from './commands/serve.ts';
import { reason, StoreUnavailableError } from './store/store.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

const environment = `\
  PETSTORE_HOST              address to listen on (127.0.0.1)
  PETSTORE_PORT              port to listen on; 0 picks a free one (8080)
  PETSTORE_DATABASE_URL      where the data is (sqlite:./data/petstore.db)
  PETSTORE_DATABASE_POOL_SIZE
                             connections to PostgreSQL at most (10)
  PETSTORE_ENV               production or staging (production)
  PETSTORE_BASE_URL          public address of production, ending in /v1
  PETSTORE_STAGING_BASE_URL  public address of staging, ending in /v1
  PETSTORE_CORS_ORIGINS      origins of web pages that may call the API, separated by commas (none)
  PETSTORE_RATE_LIMIT        requests a second for each key; 0 for no limit (0)
  PETSTORE_RATE_LIMIT_WINDOW_SECONDS
                             the window in which they are counted (1)
  PETSTORE_AUTH_FAILURES_PER_MINUTE
                             failed authentications of one address; 0 for no limit (600)
  PETSTORE_TRUSTED_PROXIES   proxies whose X-Forwarded-For is believed, as addresses and networks
                             separated by commas (none)
  PETSTORE_STABILITY         stable, beta or experimental: the least settled operations that are
                             offered (experimental)
  PETSTORE_LOG_LEVEL         fatal, error, warn, info, debug, trace or silent (info)
  PETSTORE_PAGE_CACHE_BYTES  memory for pages of the list; 0 keeps none (16777216)
  PETSTORE_HEADERS_TIMEOUT_MS, PETSTORE_REQUEST_TIMEOUT_MS
                             how long a client may take to send (10000, 30000)`;

const program = programCommand('petstore', version, environment)
  .description("A store's animals over HTTP, and the keys to reach them.")
  .addCommand(serveCommand(version))
  .addCommand(keysCommand())
  .addCommand(openApiCommand())
  .addCommand(seedCommand())
  .addCommand(importCommand())
  .addCommand(exportCommand());

await runProgram(program, (error) =>
  error instanceof StoreUnavailableError
    ? `The database cannot do this now: it is locked by another program, full, or away (${reason(error)}). Try again.`
    : undefined,
);
