import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { StoreUnavailableError } from '../store.ts';
import type { PostgresClient, Sql, Transaction } from './client.ts';
import { codeOf, isTlsFailure, SQLSTATE, translated } from './errors.ts';
import { LOCK_CLASS, MIGRATIONS } from './migrations.ts';

/** 15.0, as the server counts. */
const OLDEST_SERVER = 150_000;

/** Held while the schema is brought up to date; negative, so it is no id of an animal. */
const MIGRATION_LOCK = -1;

/**
 * Looks whether a database can be used and brings its schema up to date. Safe when several processes
 * do so at once. `mustExist` refuses a database without the schema instead. Throws UserError for what
 * the person can mend.
 */
export async function prepareDatabase(
  client: PostgresClient,
  address: PostgresAddress,
  { mustExist = false }: { mustExist?: boolean | undefined } = {},
): Promise<void> {
  try {
    await refuseUnfit(client, address);
    const version = await client.run((sql) => schemaVersion(sql));
    if (version === undefined && mustExist) {
      throw new UserError(
        `The database ${address.place} holds no petstore. Set PETSTORE_DATABASE_URL as the service has it.`,
      );
    }
    if (version !== MIGRATIONS.length) {
      await client.transaction((sql) => migrate(sql, address));
    }
  } catch (error) {
    throw explain(error, address);
  }
}

async function refuseUnfit(client: PostgresClient, { place }: PostgresAddress): Promise<void> {
  const [server] = await client.run(
    (sql) => sql<{ version: number; name: string; encoding: string }[]>`
      SELECT current_setting('server_version_num')::int AS version,
             current_setting('server_version') AS name,
             current_setting('server_encoding') AS encoding`,
  );
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

/** undefined where there is no petstore yet. */
async function schemaVersion(sql: Sql): Promise<number | undefined> {
  const [table] = await sql`SELECT to_regclass('petstore_schema') IS NOT NULL AS "isThere"`;
  return table?.isThere ? readVersion(sql) : undefined;
}

async function readVersion(sql: Sql | Transaction): Promise<number | undefined> {
  const [row] = await sql.unsafe<{ version: number }[]>('SELECT version FROM petstore_schema');
  return row?.version;
}

async function migrate(sql: Transaction, { place }: PostgresAddress): Promise<void> {
  // Of two processes that start at once, the second waits here and then finds the work done.
  await sql`SELECT pg_advisory_xact_lock(${LOCK_CLASS}::int, ${MIGRATION_LOCK}::int)`;
  // Not asked of to_regclass: it may remember from before the wait that there is no table.
  await sql.unsafe('CREATE TABLE IF NOT EXISTS petstore_schema (version integer NOT NULL)');
  const version = (await readVersion(sql)) ?? 0;
  if (version > MIGRATIONS.length) {
    throw new UserError(
      `${place} was written by a newer petstore (schema ${version}; this one knows up to ${MIGRATIONS.length}). Upgrade petstore, or set PETSTORE_DATABASE_URL to another database.`,
    );
  }
  if (version === MIGRATIONS.length) return;
  for (const migration of MIGRATIONS.slice(version)) await sql.unsafe(migration);
  await sql.unsafe('DELETE FROM petstore_schema');
  await sql`INSERT INTO petstore_schema (version) VALUES (${MIGRATIONS.length})`;
}

function explain(error: unknown, { server, place, user, database }: PostgresAddress): unknown {
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  const code = codeOf(cause);
  switch (code) {
    case SQLSTATE.INVALID_PASSWORD:
    case SQLSTATE.INVALID_AUTHORIZATION:
      return new UserError(
        `PostgreSQL at ${server} refuses the user ${JSON.stringify(user)} with this password. Check both in PETSTORE_DATABASE_URL.`,
        { cause },
      );
    case SQLSTATE.UNDEFINED_DATABASE:
      return new UserError(
        `There is no database ${JSON.stringify(database)} on PostgreSQL at ${server}. Create it, or name another one in PETSTORE_DATABASE_URL.`,
        { cause },
      );
    case SQLSTATE.INSUFFICIENT_PRIVILEGE:
      return new UserError(
        `The user ${JSON.stringify(user)} may not use or create petstore's tables in ${place}. Grant it CREATE on the schema, or make it the owner of the database.`,
        { cause },
      );
    default:
      if (isTlsFailure(cause)) {
        return new UserError(
          `No secure connection to PostgreSQL at ${server} comes about: ${(cause as Error).message} (${code}). Let the server have TLS and a certificate that Node trusts (NODE_EXTRA_CA_CERTS names the file of a private authority), or change sslmode in PETSTORE_DATABASE_URL.`,
          { cause },
        );
      }
      return translated(cause) instanceof StoreUnavailableError
        ? new UserError(
            `PostgreSQL at ${server} cannot be reached or cannot work now${code ? ` (${code})` : ''}. Start it, or correct PETSTORE_DATABASE_URL.`,
            { cause },
          )
        : error;
  }
}
