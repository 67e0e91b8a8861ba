import type { PostgresAddress } from '../postgres-address.ts';
import { UserError } from '../user-error.ts';
import type { DatabaseKind } from './database-kind.ts';

export type BackupTask = 'backup' | 'restore' | 'verify';

/**
 * The error of a command for SQLite files on a PostgreSQL database, with the command line that does the same there. It
 * leaves the password out: PostgreSQL's programs take it from PGPASSWORD or ~/.pgpass. `stop`: what must not run during
 * a restore. `afterwards`: what to do then, as a sentence.
 */
export function postgresToolsHint(
  { program, variable }: Pick<DatabaseKind<object>, 'program' | 'variable'>,
  task: BackupTask,
  file: string,
  address: PostgresAddress,
  { stop, afterwards = '' }: { readonly stop: string; readonly afterwards?: string },
): UserError {
  const name = quoted(file);
  const database = quoted(withoutPassword(address));
  const instead = {
    backup: `Back it up with its own tools: pg_dump --format=custom --file=${name} ${database}`,
    restore: `Stop ${stop} on it, and restore it with its own tools: pg_restore --clean --if-exists --no-owner --single-transaction --dbname=${database} ${name}`,
    verify: `Read a dump of it through with its own tools: pg_restore --file=/dev/null ${name}`,
  };
  const after = task === 'restore' && afterwards !== '' ? ` ${afterwards}` : '';
  return new UserError(
    `\`${program} ${task}\` is for SQLite files, but ${variable} names PostgreSQL at ${address.place}. ${instead[task]} (They take the password from PGPASSWORD or ~/.pgpass. pg_basebackup copies a whole server, which can then be restored to any instant.)${after}`,
  );
}

/** The address as libpq reads it, with the parameters that are needed and no secret. */
function withoutPassword(address: PostgresAddress): string {
  const { hosts, server, user, database, sslMode, channelBinding, target } = address;
  const name = `${encodeURIComponent(user)}@${server}/${encodeURIComponent(database)}`;
  const settings = [
    ...(sslMode === 'disable' ? [] : [`sslmode=${sslMode}`]),
    ...(channelBinding === 'prefer' ? [] : [`channel_binding=${channelBinding}`]),
    // A single host needs no attribute: it is meant, whatever it is.
    ...(hosts.length === 1 || target === 'any' ? [] : [`target_session_attrs=${target}`]),
  ];
  return `postgresql://${name}${settings.length > 0 ? `?${settings.join('&')}` : ''}`;
}

/** Quotes a word for a shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-')
    ? text
    : `'${text.replaceAll("'", `'\\''`)}'`;
}
