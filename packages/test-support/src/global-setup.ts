import { join } from 'node:path';
import { PostgresServer, SHARED_PORT } from './postgres.ts';
import { ROOT } from './program.ts';

// What all files of a run of `npm test` share: one PostgreSQL server, where a file that is run alone
// starts its own; and what Node has compiled, which a hundred processes need not do again.

const COMPILED = join(ROOT, 'node_modules/.cache/compiled');

let server: PostgresServer | undefined;

/** @public Called by `node --test`. */
export async function globalSetup(): Promise<void> {
  server = await PostgresServer.start();
  process.env[SHARED_PORT] = `${server.port}`;
  process.env.NODE_COMPILE_CACHE ??= COMPILED;
}

/** @public Called by `node --test`. */
export async function globalTeardown(): Promise<void> {
  await server?.destroy();
}
