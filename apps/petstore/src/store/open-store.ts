import { UserError } from '../user-error.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { Store } from './store.ts';

/** Opens the store that a `PETSTORE_DATABASE_URL` names. Throws UserError where that fails. */
export function openStore(databaseUrl: string): Store {
  const path = sqlitePath(databaseUrl);
  if (path === undefined) {
    throw new UserError(
      'PETSTORE_DATABASE_URL must be sqlite: and the path of a file, such as sqlite:./data/petstore.db, or sqlite::memory: for a store that goes with the process.',
    );
  }
  return openSqliteStore(path);
}

/** The path in a `sqlite:` address; undefined for any other. `sqlite://` would name a host. */
export function sqlitePath(databaseUrl: string): string | undefined {
  return /^sqlite:(?!\/\/)(.+)$/.exec(databaseUrl)?.[1];
}
