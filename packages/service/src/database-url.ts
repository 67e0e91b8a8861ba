import { resolve } from 'node:path';
import { UserError } from './user-error.ts';

const IN_MEMORY = ':memory:';

/** Whether an address is one of PostgreSQL's. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:/i.test(url);
}

/**
 * The path in a `sqlite:` address, absolute, or `:memory:`; undefined for any other. `sqlite://` would
 * name a host.
 */
export function sqlitePath(url: string): string | undefined {
  const path = /^sqlite:(?!\/\/)(.+)$/.exec(url)?.[1];
  return path === undefined || path === IN_MEMORY ? path : resolve(path);
}

/** As sqlitePath, for what must be one. Throws UserError that names the `variable`. */
export function readSqlitePath(variable: string, url: string): string {
  const path = sqlitePath(url);
  if (path !== undefined) return path;
  throw new UserError(
    `${variable} must be sqlite: and the path of a file, such as sqlite:./data/store.db, or sqlite::memory: for one that goes with the process, or postgres: and the address of a database, such as postgres://user:password@host:5432/name; got ${JSON.stringify(withoutPassword(url))}.`,
  );
}

/** Where the data is, for people: the path of a file, or a database's host and name. */
export function databasePlace(url: string): string {
  if (!isPostgresUrl(url)) return sqlitePath(url) ?? withoutPassword(url);
  if (!URL.canParse(url)) return 'PostgreSQL';
  const { hostname, port, pathname } = new URL(url);
  return `PostgreSQL at ${hostname}:${port || '5432'}${pathname}`;
}

/** An address that may be shown. What stands behind a `?` can be a password too. */
export function withoutPassword(url: string): string {
  if (sqlitePath(url) !== undefined) return url;
  return url.replace(/:\/\/.*@/, '://***@').replace(/\?.*$/, '?***');
}
