import type { Connection } from '@petstore/postgres/connection.ts';
import { codeOf, isTlsFailure, SQLSTATE } from '@petstore/postgres/errors.ts';
import type { PostgresServer } from '@petstore/postgres/server.ts';
import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import { UserError } from '@petstore/service/user-error.ts';
import sql from 'sql-template-tag';
import type { MigrationPlan, MigrationReport, OnMigration } from '../migration.ts';
import { StoreUnavailableError } from '../store.ts';
import { translated } from './errors.ts';
import { migrate, schemaVersion } from './migrate.ts';
import { planFrom } from './plan.ts';

/** 15.0, as the server counts. */
const OLDEST_SERVER = 150_000;

/** What PgBouncer says to BEGIN where it gives each statement another session: a violation of the protocol. */
const NO_TRANSACTIONS = '08P01';

/** Connections that a pooler is given the chance to hand out in turn. */
const PROBES = 3;

/**
 * Looks whether a database can be used and brings its schema up to date; what was done. Safe when several
 * processes do so at once. `mustExist` refuses a database without the schema instead. Throws UserError for
 * what the person can mend.
 */
export function prepareDatabase(
  server: PostgresServer,
  {
    mustExist = false,
    onMigration,
  }: { mustExist?: boolean | undefined; onMigration?: OnMigration | undefined } = {},
): Promise<MigrationReport> {
  return withDatabase(server, (connection, version) => {
    if (version === undefined && mustExist) {
      throw new UserError(
        `The database ${server.address.place} holds no petstore. Set PETSTORE_DATABASE_URL as the service has it.`,
      );
    }
    return migrate(server, connection, version ?? 0, onMigration);
  });
}

/** What prepareDatabase would do. Changes nothing. */
export function planDatabase(server: PostgresServer): Promise<MigrationPlan> {
  return withDatabase(server, (connection, version = 0) =>
    planFrom(connection, version, server.address.place),
  );
}

/** Does something with a database that can be used. `version`: of its schema, undefined where there is none. */
async function withDatabase<T>(
  server: PostgresServer,
  work: (connection: Connection, version: number | undefined) => Promise<T>,
): Promise<T> {
  const { address } = server;
  let connection: Connection | undefined;
  try {
    connection = await server.connect();
    await refusePoolerOfTransactions(connection, server);
    await refuseUnfit(connection, address);
    return await work(connection, await schemaVersion(connection));
  } catch (error) {
    throw explain(error, address);
  } finally {
    await connection?.end();
  }
}

async function refuseUnfit(connection: Connection, { place }: PostgresAddress): Promise<void> {
  const server = await connection.row<{ version: number; name: string; encoding: string }>(sql`
    SELECT current_setting('server_version_num')::int AS version,
           current_setting('server_version') AS name,
           current_setting('server_encoding') AS encoding`);
  if (!server || server.version < OLDEST_SERVER) {
    throw new UserError(
      `${place} is on PostgreSQL ${server?.name}; petstore needs 15 or newer. Upgrade the server, or set PETSTORE_DATABASE_URL to another one.`,
    );
  }
  if (server.encoding !== 'UTF8') {
    throw new UserError(
      `The database ${place} is encoded as ${server.encoding}, which cannot hold every name. Create one with ENCODING 'UTF8'.`,
    );
  }
}

/**
 * A pooler that gives each transaction another session loses what sessions have here: settings, prepared statements,
 * and the news of revoked keys. It shows where it is asked while others hold the session that was used last. Asked
 * first, and by statements without names: in the sessions of such a pooler there are those of other processes.
 */
async function refusePoolerOfTransactions(
  connection: Connection,
  server: PostgresServer,
): Promise<void> {
  const session = await sessionOf(connection);
  if (session === connection.processId) return;
  const others: Connection[] = [];
  try {
    while (others.length < PROBES) {
      const other = await server.connect();
      others.push(other);
      if (!(await begins(other)) || (await sessionOf(connection)) !== session) {
        throw new UserError(
          `${server.address.server} is a pooler that gives each transaction another session, which petstore cannot work with. Set its mode for this database to session (PgBouncer: pool_mode=session), or let PETSTORE_DATABASE_URL name PostgreSQL itself.`,
        );
      }
    }
  } finally {
    for (const other of others) other.destroy();
  }
}

/** Whether a transaction can be begun at all. */
async function begins(connection: Connection): Promise<boolean> {
  try {
    await connection.script('BEGIN');
    return true;
  } catch (error) {
    if (codeOf(error) === NO_TRANSACTIONS) return false;
    throw error;
  }
}

/** The process of the server that serves a connection now. */
async function sessionOf(connection: Connection): Promise<number | undefined> {
  const [result] = await connection.script('SELECT pg_backend_pid() AS pid');
  return result?.rows[0]?.pid;
}

function explain(error: unknown, address: PostgresAddress): unknown {
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  const sentence = sentenceOf(cause, address);
  return sentence === undefined ? error : new UserError(sentence, { cause });
}

function sentenceOf(
  cause: unknown,
  { server, place, user, database }: PostgresAddress,
): string | undefined {
  const code = codeOf(cause);
  switch (code) {
    case SQLSTATE.INVALID_PASSWORD:
    case SQLSTATE.INVALID_AUTHORIZATION:
      return `PostgreSQL at ${server} refuses the user ${JSON.stringify(user)} with this password. Check both in PETSTORE_DATABASE_URL.`;
    case SQLSTATE.UNDEFINED_DATABASE:
      return `There is no database ${JSON.stringify(database)} on PostgreSQL at ${server}. Create it, or name another one in PETSTORE_DATABASE_URL.`;
    case SQLSTATE.INSUFFICIENT_PRIVILEGE:
      return `The user ${JSON.stringify(user)} may not use or create petstore's tables in ${place}. Grant it CREATE on the schema, or make it the owner of the database.`;
  }
  if (isTlsFailure(cause)) {
    return `No secure connection to PostgreSQL at ${server} comes about: ${(cause as Error).message} (${code}). Let the server have TLS and a certificate that Node trusts (NODE_EXTRA_CA_CERTS names the file of a private authority), or change sslmode in PETSTORE_DATABASE_URL.`;
  }
  if (!(translated(cause) instanceof StoreUnavailableError)) return undefined;
  return `PostgreSQL at ${server} cannot be reached or cannot work now${code ? ` (${code})` : ''}. Start it, or correct PETSTORE_DATABASE_URL.`;
}
