import { createRequire } from 'node:module';
import { programCommand, runProgram } from '@petstore/service/commands.ts';
import { auditCommand } from './commands/audit.ts';
import { backupCommand } from './commands/backup.ts';
import { ENVIRONMENT } from './commands/environment.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import { openApiCommand } from './commands/openapi.ts';
import { restoreCommand } from './commands/restore.ts';
import { seedCommand } from './commands/seed.ts';
import { serveCommand } from './commands/serve.ts';
import { verifyCommand } from './commands/verify.ts';
import { reason, StoreUnavailableError } from './store/store.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

const program = programCommand('petstore', version, ENVIRONMENT)
  .description("A store's animals over HTTP, and the keys to reach them.")
  .addCommand(serveCommand(version))
  .addCommand(keysCommand())
  .addCommand(auditCommand())
  .addCommand(openApiCommand())
  .addCommand(seedCommand())
  .addCommand(importCommand())
  .addCommand(exportCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(verifyCommand());

await runProgram(program, (error) =>
  error instanceof StoreUnavailableError
    ? `The database cannot do this now: it is locked by another program, full, or away (${reason(error)}). Try again.`
    : undefined,
);
