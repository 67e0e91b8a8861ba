import { createRequire } from 'node:module';
import { programCommand, runProgram } from '@petstore/service/commands.ts';
import { ENVIRONMENT } from './commands/environment.ts';
import { serveCommand } from './commands/serve.ts';
import { reason, StoreUnavailableError } from './store/store.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

const program = programCommand('petstore', version, ENVIRONMENT)
  .description("A store's animals over HTTP, and the keys to reach them.")
  .addCommand(serveCommand(version));

// The service starts sooner without what only the others need.
if (process.argv[2] !== 'serve') {
  const { shortLivedCommands } = await import('./commands/short-lived.ts');
  for (const command of shortLivedCommands()) program.addCommand(command);
}

await runProgram(program, (error) =>
  error instanceof StoreUnavailableError
    ? `The database cannot do this now: it is locked by another program, full, or away (${reason(error)}). Try again.`
    : undefined,
);
