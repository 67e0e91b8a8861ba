import { PostgresServer, SHARED_PORT } from './postgres.ts';

// One PostgreSQL server for a whole run of `npm test`. A file that is run alone starts its own.

let server: PostgresServer | undefined;

export async function globalSetup(): Promise<void> {
  server = await PostgresServer.start();
  process.env[SHARED_PORT] = `${server.port}`;
  // Code that comes out of the cache is counted less exactly (https://nodejs.org/api/module.html).
  process.env.NODE_DISABLE_COMPILE_CACHE = '1';
}

export async function globalTeardown(): Promise<void> {
  await server?.destroy();
}
