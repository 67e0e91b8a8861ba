import { join } from 'node:path';
import type { Ending } from './clean-up.ts';
import { PostgresServer, SHARED_PORT } from './postgres.ts';
import { ROOT } from './program.ts';

// What all files of a run of `npm test` share: one PostgreSQL server, where a file that is run alone
// starts its own; and what Node has compiled, which a hundred processes need not do again.

const COMPILED = join(ROOT, 'node_modules/.cache/compiled');

let end = async (): Promise<void> => undefined;
const run: Ending = {
  after(work) {
    end = work;
  },
};

/** @public Called by `node --test`. */
export async function globalSetup(): Promise<void> {
  const server = await PostgresServer.start(run);
  process.env[SHARED_PORT] = `${server.port}`;
  process.env.NODE_COMPILE_CACHE ??= COMPILED;
}

/** @public Called by `node --test`. */
export async function globalTeardown(): Promise<void> {
  await end();
}
