import { FILE } from './clean-up.ts';
import { PostgresDatabases, PostgresServer } from './postgres.ts';
import { SHARED_PORT } from './whole-run.ts';

let own: Promise<PostgresServer> | undefined;

/**
 * A server that nobody stops: the one of the whole run, or, when a file is run alone, one that is
 * gone when the file is done.
 */
export async function sharedServer(): Promise<PostgresDatabases> {
  const port = process.env[SHARED_PORT];
  if (port) return new PostgresDatabases(Number(port));
  own ??= PostgresServer.start(FILE);
  return own;
}
