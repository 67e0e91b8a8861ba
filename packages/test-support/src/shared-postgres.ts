import { FILE } from './clean-up.ts';
import { PostgresDatabases, PostgresServer } from './postgres.ts';
import { SHARED_PORT } from './whole-run.ts';

let server: Promise<PostgresDatabases> | undefined;

/**
 * A server that nobody stops: the one of the whole run, or, when a file is run alone, one that is
 * gone when the file is done.
 */
export async function sharedServer(): Promise<PostgresDatabases> {
  server ??= findServer();
  const found = await server;
  found.keepConnected(FILE);
  return found;
}

async function findServer(): Promise<PostgresDatabases> {
  const port = process.env[SHARED_PORT];
  return port ? new PostgresDatabases(Number(port)) : PostgresServer.start(FILE);
}
