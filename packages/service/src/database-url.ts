import { resolve } from 'node:path';
import { isPostgresUrl, postgresAddress } from './postgres-address.ts';
import { UserError } from './user-error.ts';

/** The path of a database in memory. */
export const IN_MEMORY = ':memory:';

/**
 * The path in a `sqlite:` address, absolute, or `:memory:`; undefined for other addresses. In `sqlite://` a host would
 * follow.
 */
export function sqlitePath(url: string): string | undefined {
  const path = /^sqlite:(?!\/\/)(.+)$/.exec(url)?.[1];
  return path === undefined || path === IN_MEMORY ? path : resolve(path);
}

/**
 * As sqlitePath, but throws UserError for any other address. It names the `variable`; `example` is the name of a
 * database in it.
 */
export function readSqlitePath(variable: string, url: string, example: string): string {
  const path = sqlitePath(url);
  if (path !== undefined) return path;
  throw new UserError(
    `${variable} must be sqlite: and the path of a file, such as sqlite:./data/${example}.db, or sqlite::memory: for a store that goes with the process, or postgres: and the address of a database, such as postgres://user:password@host:5432/${example}; got ${JSON.stringify(withoutPassword(url))}.`,
  );
}

/** Where the data is, for people: the path of a file, or a database's host and name. */
export function databasePlace(variable: string, url: string): string {
  if (isPostgresUrl(url)) return `PostgreSQL at ${postgresAddress(variable, url).place}`;
  return sqlitePath(url) ?? withoutPassword(url);
}

/** An address that may be shown: the part after a `?` can be a password, too. */
export function withoutPassword(url: string): string {
  if (sqlitePath(url) !== undefined) return url;
  return url.replace(/:\/\/.*@/, '://***@').replace(/\?.*$/, '?***');
}
