import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import { PostgresJSDialect } from 'kysely-postgres-js';
import postgres from 'postgres';

/** Kysely's PostgreSQL. `poolSize`: connections at most. */
export function postgresDialect({ url }: PostgresAddress, poolSize: number): PostgresJSDialect {
  return new PostgresJSDialect({
    postgres: postgres(url, {
      max: poolSize,
      connect_timeout: 5,
      onnotice: () => {},
      connection: { application_name: 'dashboard', statement_timeout: 30_000 },
      types: {
        // Instants and counters, all far below 2^53.
        bigint: { to: 20, from: [20], parse: Number, serialize: String },
      },
    }),
  });
}
