import { readSqlitePath } from '@petstore/service/database-url.ts';
import { isPostgresUrl, postgresAddress } from '@petstore/service/postgres-address.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { Store, StoreOptions } from './store.ts';

/** The variable that names the store, for messages. */
export const DATABASE_VARIABLE = 'PETSTORE_DATABASE_URL';

/** Opens the store that a `PETSTORE_DATABASE_URL` names. Rejects with UserError where that fails. */
export async function openStore(databaseUrl: string, options: StoreOptions = {}): Promise<Store> {
  if (isPostgresUrl(databaseUrl)) {
    // Loaded here, since most installations never need it.
    const { openPostgresStore } = await import('./postgres/postgres-store.ts');
    return openPostgresStore(postgresAddress(DATABASE_VARIABLE, databaseUrl), options);
  }
  return openSqliteStore(readSqlitePath(DATABASE_VARIABLE, databaseUrl, 'petstore'), options);
}
