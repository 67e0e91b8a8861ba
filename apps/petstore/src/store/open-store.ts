import { resolve } from 'node:path';
import { UserError } from '@petstore/service/user-error.ts';
import { isPostgresUrl, postgresAddress } from './postgres/address.ts';
import { IN_MEMORY } from './sqlite/open.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { Store, StoreOptions } from './store.ts';

/** Opens the store that a `PETSTORE_DATABASE_URL` names. Rejects with UserError where that fails. */
export async function openStore(databaseUrl: string, options: StoreOptions = {}): Promise<Store> {
  if (isPostgresUrl(databaseUrl)) {
    // Loaded here, since most installations never need it.
    const { openPostgresStore } = await import('./postgres/postgres-store.ts');
    return openPostgresStore(postgresAddress(databaseUrl), options);
  }
  const path = sqlitePath(databaseUrl);
  if (path === undefined) {
    throw new UserError(
      `PETSTORE_DATABASE_URL must be sqlite: and the path of a file, such as sqlite:./data/petstore.db, or sqlite::memory: for a store that goes with the process, or postgres: and the address of a database, such as postgres://user:password@host:5432/petstore; got ${JSON.stringify(withoutPassword(databaseUrl))}.`,
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

/** Where the data is, for people: the path of a file, or a database's host and name. */
export function placeOf(databaseUrl: string): string {
  if (isPostgresUrl(databaseUrl)) return `PostgreSQL at ${postgresAddress(databaseUrl).place}`;
  return sqlitePath(databaseUrl) ?? withoutPassword(databaseUrl);
}

/** An address that may be shown. What stands behind a `?` can be a password too. */
export function withoutPassword(databaseUrl: string): string {
  if (sqlitePath(databaseUrl) !== undefined) return databaseUrl;
  return databaseUrl.replace(/:\/\/.*@/, '://***@').replace(/\?.*$/, '?***');
}
