import { PostgresServer, SHARED_PORT } from './postgres.ts';

// One PostgreSQL server for a whole run of `npm test`. A file that is run alone starts its own.

let server: PostgresServer | undefined;

/** @public Called by `node --test`. */
export async function globalSetup(): Promise<void> {
  server = await PostgresServer.start();
  process.env[SHARED_PORT] = `${server.port}`;
}

/** @public Called by `node --test`. */
export async function globalTeardown(): Promise<void> {
  await server?.destroy();
}
