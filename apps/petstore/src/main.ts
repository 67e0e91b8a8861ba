import { createRequire } from 'node:module';
import { addCommands, programCommand, runProgram } from '@petstore/service/commands.ts';
import { ENVIRONMENT } from './commands/environment.ts';
import { reason, StoreUnavailableError } from './store/store-errors.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

const program = programCommand('petstore', version, ENVIRONMENT).description(
  "A store's animals over HTTP, and the keys to reach them.",
);
await addCommands(program, {
  serve: async () => (await import('./commands/serve.ts')).serveCommand(version),
  keys: async () => (await import('./commands/keys.ts')).keysCommand(),
  sandbox: async () => (await import('./commands/sandbox.ts')).sandboxCommand(),
  faults: async () => (await import('./commands/faults.ts')).faultsCommand(),
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  audit: async () => (await import('./commands/audit.ts')).auditCommand(),
  openapi: async () => (await import('./commands/openapi.ts')).openApiCommand(),
  seed: async () => (await import('./commands/seed.ts')).seedCommand(),
  import: async () => (await import('./commands/import.ts')).importCommand(),
  export: async () => (await import('./commands/export.ts')).exportCommand(),
  backup: async () => (await import('./commands/backup.ts')).backupCommand(),
  restore: async () => (await import('./commands/restore.ts')).restoreCommand(),
  events: async () => (await import('./commands/events.ts')).eventsCommand(),
  report: async () => (await import('./commands/report.ts')).reportCommand(),
  challenge: async () => (await import('./commands/challenge.ts')).challengeCommand(),
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand(),
  verify: async () => (await import('./commands/verify.ts')).verifyCommand(),
});

await runProgram(program, (error) =>
  error instanceof StoreUnavailableError
    ? `The database is unavailable: it is locked by another program, full, or unreachable (${reason(error)}). Try again.`
    : undefined,
);
