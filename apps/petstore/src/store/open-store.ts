import { readSqlitePath } from '@petstore/service/database-url.ts';
import {
  isPostgresUrl,
  type PostgresAddress,
  postgresAddress,
} from '@petstore/service/postgres-address.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { Store, StoreOptions } from './store.ts';

/** The variable that names the store, for messages. */
export const DATABASE_VARIABLE = 'PETSTORE_DATABASE_URL';

/** The one that names its replicas. */
const REPLICA_VARIABLE = 'PETSTORE_DATABASE_REPLICA_URL';

/** Opens the store that a `PETSTORE_DATABASE_URL` names. Rejects with UserError where that fails. */
export async function openStore(databaseUrl: string, options: StoreOptions = {}): Promise<Store> {
  if (isPostgresUrl(databaseUrl)) {
    // Loaded here, since most installations never need it.
    const { openPostgresStore } = await import('./postgres/postgres-store.ts');
    const address = postgresAddress(DATABASE_VARIABLE, databaseUrl);
    return openPostgresStore(address, replicaAddresses(options.replicaUrls), options);
  }
  if (options.replicaUrls?.length) {
    throw new UserError(
      `${REPLICA_VARIABLE} names replicas of a PostgreSQL database, and ${DATABASE_VARIABLE} names no such database. Unset the one, or set the other to postgres://….`,
    );
  }
  return openSqliteStore(readSqlitePath(DATABASE_VARIABLE, databaseUrl, 'petstore'), options);
}

/** The addresses of `PETSTORE_DATABASE_REPLICA_URL`. Throws UserError for what is none. */
export function replicaAddresses(urls: readonly string[] = []): PostgresAddress[] {
  return urls.map((url) => postgresAddress(REPLICA_VARIABLE, url, 'standby'));
}
