import { createRequire } from 'node:module';
import { Command } from 'commander';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import { openApiCommand } from './commands/openapi.ts';
import { seedCommand } from './commands/seed.ts';
import { serveCommand } from './commands/serve.ts';
import { ERROR_OUTPUT } from './commands/subcommand.ts';
import { reason, StoreUnavailableError } from './store/store.ts';
import { UserError } from './user-error.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

const program = new Command('petstore')
  .description("A store's animals over HTTP, and the keys to reach them.")
  .version(version)
  .showHelpAfterError('(petstore --help lists the commands)')
  .addHelpText(
    'after',
    `
Environment:
  PETSTORE_HOST              address to listen on (127.0.0.1)
  PETSTORE_PORT              port to listen on; 0 picks a free one (8080)
  PETSTORE_DATABASE_URL      where the data is (sqlite:./data/petstore.db)
  PETSTORE_DATABASE_POOL_SIZE
                             connections to PostgreSQL at most (10)
  PETSTORE_ENV               production or staging (production)
  PETSTORE_BASE_URL          public address of production, ending in /v1
  PETSTORE_STAGING_BASE_URL  public address of staging, ending in /v1
  PETSTORE_STABILITY         stable, beta or experimental: the least settled operations that are
                             offered (experimental)
  PETSTORE_LOG_LEVEL         fatal, error, warn, info, debug, trace or silent (info)
  PETSTORE_PAGE_CACHE_BYTES  memory for pages of the list; 0 keeps none (16777216)
  PETSTORE_HEADERS_TIMEOUT_MS, PETSTORE_REQUEST_TIMEOUT_MS
                             how long a client may take to send (10000, 30000)`,
  )
  .configureOutput(ERROR_OUTPUT)
  .addCommand(serveCommand(version))
  .addCommand(keysCommand())
  .addCommand(openApiCommand())
  .addCommand(seedCommand())
  .addCommand(importCommand())
  .addCommand(exportCommand());

try {
  await program.parseAsync();
} catch (error) {
  const { exitCode } = process;
  process.exitCode = 1;
  const { code, message } = error as NodeJS.ErrnoException;
  // The reader of a pipe has had enough, as `head` does: nothing is wrong.
  if (code === 'EPIPE') process.exitCode = exitCode;
  else if (error instanceof UserError) process.stderr.write(`petstore: ${message}\n`);
  else if (error instanceof StoreUnavailableError)
    process.stderr.write(
      `petstore: The database cannot do this now: it is locked by another program, full, or away (${reason(error)}). Try again.\n`,
    );
  else if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG')
    process.stderr.write(`petstore: Nothing can be written: ${message}\n`);
  else throw error;
}
