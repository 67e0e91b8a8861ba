import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import { PostgresDialect } from 'kysely';
import { Client, type ClientConfig, Pool } from 'pg';
import { connectionConfig } from './postgres-config.ts';

/**
 * How long a statement may wait until a connection is free. Where none can be made, the last in a long
 * line would wait for all in front of it to fail.
 */
const WAIT_MS = 15_000;

/** Of a connection, in seconds, so that what a server keeps for each does not grow for ever. */
const LIFETIME_S = 3_600;

/** Kysely's PostgreSQL. `poolSize`: connections at most. */
export function postgresDialect(address: PostgresAddress, poolSize: number): PostgresDialect {
  return new PostgresDialect({
    pool: async () => {
      const { config, mayBePlain } = connectionConfig(address.url);
      const isPlain = mayBePlain && !(await offersTls(config));
      return makePool(isPlain ? { ...config, ssl: false } : config, poolSize);
    },
  });
}

function makePool(config: ClientConfig, max: number): Pool {
  // The pool has one number for waiting and for connecting. This gives connections their own.
  class Connection extends Client {
    constructor() {
      super(config);
    }
  }
  const pool = new Pool({
    Client: Connection,
    max,
    connectionTimeoutMillis: WAIT_MS,
    idleTimeoutMillis: 0,
    maxLifetimeSeconds: LIFETIME_S,
  });
  // A connection that breaks is replaced, and what ran on it is told by its own error. Without someone
  // who listens, Node would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

async function offersTls(config: ClientConfig): Promise<boolean> {
  const client = new Client(config);
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    if ((error as Error).message === 'The server does not support SSL connections') return false;
    throw error;
  } finally {
    await client.end();
  }
}
