import type { Connection } from '@petstore/postgres/connection.ts';
import { codeOf, isTlsFailure, SQLSTATE } from '@petstore/postgres/errors.ts';
import { refuseTransactionPooling } from '@petstore/postgres/pooler.ts';
import type { PostgresServer } from '@petstore/postgres/server.ts';
import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import { UserError } from '@petstore/service/user-error.ts';
import sql from 'sql-template-tag';
import type { MigrationPlan, MigrationReport, OnMigration } from '../migration.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { translated } from './errors.ts';
import { migrate, schemaVersion } from './migrate.ts';
import { planFrom } from './plan.ts';

/** 15.0, as the server counts. */
const OLDEST_SERVER = 150_000;

/**
 * Checks that a database can be used and brings its schema up to date; returns what was done. Safe when several
 * processes do so at once. `mustExist` refuses a database without the schema instead. Throws UserError for problems
 * that the user can fix.
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
        `The database ${server.address.place} does not contain a petstore. Set PETSTORE_DATABASE_URL to the value that the service has.`,
      );
    }
    return migrate(server, connection, version ?? 0, onMigration);
  });
}

/** The plan of prepareDatabase. Changes nothing. */
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
    await refuseTransactionPooling(connection, server, 'petstore', 'PETSTORE_DATABASE_URL');
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
    return `A secure connection to PostgreSQL at ${server} failed: ${(cause as Error).message} (${code}). Give the server TLS and a certificate that Node trusts (NODE_EXTRA_CA_CERTS names the file of a private authority), or change sslmode in PETSTORE_DATABASE_URL.`;
  }
  if (!(translated(cause) instanceof StoreUnavailableError)) return undefined;
  return `PostgreSQL at ${server} cannot be reached or cannot work now${code ? ` (${code})` : ''}. Start it, or correct PETSTORE_DATABASE_URL.`;
}
