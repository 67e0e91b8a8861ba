import { resolve } from 'node:path';
import { UserError } from '../user-error.ts';
import { IN_MEMORY } from './sqlite/open.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { Store, StoreOptions } from './store.ts';

/** Opens the store that a `PETSTORE_DATABASE_URL` names. Rejects with UserError where that fails. */
export async function openStore(databaseUrl: string, options: StoreOptions = {}): Promise<Store> {
  const path = sqlitePath(databaseUrl);
  if (path === undefined) {
    throw new UserError(
      `PETSTORE_DATABASE_URL must be sqlite: and the path of a file, such as sqlite:./data/petstore.db, or sqlite::memory: for a store that goes with the process; got ${JSON.stringify(withoutPassword(databaseUrl))}.`,
    );
  }
  return openSqliteStore(path, options);
}

/**
 * The path in a `sqlite:` address, absolute, or `:memory:`; undefined for any other. `sqlite://`
 * would name a host.
 */
export function sqlitePath(databaseUrl: string): string | undefined {
  const path = /^sqlite:(?!\/\/)(.+)$/.exec(databaseUrl)?.[1];
  return path === undefined || path === IN_MEMORY ? path : resolve(path);
}

function withoutPassword(url: string): string {
  return url.replace(/:[^:@/]*@/, ':***@');
}
