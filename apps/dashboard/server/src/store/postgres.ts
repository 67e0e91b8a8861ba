import { Pool } from '@petstore/postgres/pool.ts';
import { refuseTransactionPooling } from '@petstore/postgres/pooler.ts';
import { PostgresServer } from '@petstore/postgres/server.ts';
import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import { PostgresDialect, type PostgresPoolClient } from 'kysely';
import type { DatabaseObserver } from '../operations/database-metrics.ts';

/** How long the server may work on one statement. */
const STATEMENT_TIMEOUT_MS = 10_000;

/** How long a statement may take, measured here: this limit ends it only where the server has fallen silent. */
const LIMIT_MS = STATEMENT_TIMEOUT_MS + 2_000;

/** Statements that may wait for a connection. More are refused at once. */
const MAX_WAITING = 2_048;

/** Longer than any migration, and within the range of timers. */
const A_WEEK_MS = 7 * 24 * 60 * 60_000;

/** Kysely's PostgreSQL. `poolSize`: connections at most. */
export function postgresDialect(
  address: PostgresAddress,
  poolSize: number,
  observer?: Pick<DatabaseObserver, 'pool'>,
): PostgresDialect {
  const limits = { size: poolSize, statementTimeoutMs: STATEMENT_TIMEOUT_MS, limitMs: LIMIT_MS };
  return dialect(address, limits, observer);
}

/** The same for migrations, which may take as long as they need. */
export function postgresMigrationDialect(address: PostgresAddress): PostgresDialect {
  return dialect(address, { size: 1, statementTimeoutMs: 0, limitMs: A_WEEK_MS });
}

/** Throws a UserError where a pooler in between does not keep sessions. */
export async function refuseUnfitPooler(address: PostgresAddress, variable: string): Promise<void> {
  const server = serverAt(address, STATEMENT_TIMEOUT_MS);
  const connection = await server.connect();
  try {
    await refuseTransactionPooling(connection, server, 'the dashboard', variable);
  } finally {
    await connection.end();
  }
}

function dialect(
  address: PostgresAddress,
  limits: { size: number; statementTimeoutMs: number; limitMs: number },
  observer?: Pick<DatabaseObserver, 'pool'>,
): PostgresDialect {
  const pool = new Pool(serverAt(address, limits.statementTimeoutMs), {
    ...limits,
    maxWaiting: MAX_WAITING,
  });
  observer?.pool(() => pool.load);
  return new PostgresDialect({
    pool: {
      connect: async () => (await pool.lease()) as unknown as PostgresPoolClient,
      end: () => pool.close(),
      options: {},
    },
  });
}

function serverAt(address: PostgresAddress, statementTimeoutMs: number): PostgresServer {
  return new PostgresServer(address, {
    name: 'dashboard',
    timeoutMs: statementTimeoutMs,
    // Instants and counters, all far below 2^53.
    int8: Number,
  });
}
