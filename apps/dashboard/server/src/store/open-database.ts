import type { DatabaseSync } from 'node:sqlite';
import { retrying } from '@petstore/postgres/retrying.ts';
import { databasePlace, readSqlitePath } from '@petstore/service/database-url.ts';
import { isPostgresUrl, postgresAddress } from '@petstore/service/postgres-address.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { type Dialect, Kysely, type TransactionBuilder } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { DatabaseObserver } from '../operations/database-metrics.ts';
import { isRetryable } from './errors.ts';
import { migrations } from './migrations.ts';
import type { Database, Db, Engine } from './schema.ts';
import { dialectOver, sqliteDialect } from './sqlite.ts';

/** The variable that names the database, for messages. */
export const DATABASE_VARIABLE = 'DASHBOARD_DATABASE_URL';

export interface OpenDatabase {
  readonly db: Db;
  readonly engine: Engine;
  close(): Promise<void>;
}

/**
 * Opens the database that a `DASHBOARD_DATABASE_URL` names and brings its tables up to date. `poolSize`:
 * connections to PostgreSQL at most. `observer` is told of each statement. Rejects with UserError where that fails.
 */
export async function openDatabase(
  url: string,
  poolSize: number,
  observer?: DatabaseObserver,
): Promise<OpenDatabase> {
  const engine: Engine = isPostgresUrl(url) ? 'postgres' : 'sqlite';
  try {
    const dialect = await dialectOf(url, poolSize, observer);
    return await openWith(dialect, engine, (db) => migrate(db, engine, url), observer);
  } catch (error) {
    throw explained(error, url);
  }
}

/** Opens a database over a dialect. Rejects as `bringUpToDate` does, and closes it then. */
export async function openWith(
  dialect: Dialect,
  engine: Engine,
  bringUpToDate: (db: Db) => Promise<void>,
  observer?: DatabaseObserver,
): Promise<OpenDatabase> {
  const db = new RetryingKysely<Database>({
    dialect,
    ...(observer && {
      log: ({ level, queryDurationMillis }) =>
        observer.statement(queryDurationMillis, level === 'error'),
    }),
  });
  await bringUpToDate(db).catch(async (error) => {
    await db.destroy().catch(() => {});
    throw error;
  });
  return { db, engine, close: () => db.destroy() };
}

async function dialectOf(url: string, poolSize: number, observer: DatabaseObserver | undefined) {
  if (!isPostgresUrl(url))
    return sqliteDialect(readSqlitePath(DATABASE_VARIABLE, url, 'dashboard'));
  // Loaded here, since most installations never need it.
  const { postgresDialect } = await import('./postgres.ts');
  return postgresDialect(postgresAddress(DATABASE_VARIABLE, url), poolSize, observer);
}

/** Brings the tables up to date; on PostgreSQL over a connection without time limits. */
async function migrate(db: Db, engine: Engine, url: string): Promise<void> {
  if (engine === 'sqlite') return migrateWith(db, engine);
  const { postgresMigrationDialect, refuseUnfitPooler } = await import('./postgres.ts');
  const address = postgresAddress(DATABASE_VARIABLE, url);
  await refuseUnfitPooler(address, DATABASE_VARIABLE);
  const unlimited = new RetryingKysely<Database>({ dialect: postgresMigrationDialect(address) });
  await migrateWith(unlimited, engine).finally(() => unlimited.destroy());
}

/** Makes the tables that are missing, and changes those of earlier versions. */
export async function migrateWith(db: Db, engine: Engine): Promise<void> {
  const { error } = await migratorOf(db, engine).migrateToLatest();
  if (error) throw error;
}

function migratorOf(db: Db, engine: Engine): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations(engine) } });
}

/** Makes the tables of an earlier version in an empty database, which stays open. `last`: its last migration. */
export async function migrateTo(database: DatabaseSync, last: string): Promise<void> {
  const db = new Kysely<Database>({ dialect: dialectOver(database) });
  const { error } = await migratorOf(db, 'sqlite').migrateTo(last);
  if (error) throw error;
}

function explained(error: unknown, url: string): Error {
  if (error instanceof UserError) return error;
  const why = error instanceof Error ? error.message : String(error);
  if (why.includes('previously executed migration')) {
    return new UserError(
      `The database (${databasePlace(DATABASE_VARIABLE, url)}) is newer than this program (${why}). Run the version that wrote it, or a newer one.`,
      { cause: error },
    );
  }
  return new UserError(
    `The database (${databasePlace(DATABASE_VARIABLE, url)}) cannot be opened: ${why}`,
    { cause: error },
  );
}

/**
 * Kysely that retries transactions rolled back because of others, or refused because a server took no writes. So a
 * transaction may run several times and must change nothing but the database.
 */
class RetryingKysely<DB> extends Kysely<DB> {
  override transaction(): TransactionBuilder<DB> {
    const builder = super.transaction();
    const executeOnce = builder.execute.bind(builder);
    builder.execute = (work) => retrying(() => executeOnce(work), isRetryable);
    return builder;
  }
}
