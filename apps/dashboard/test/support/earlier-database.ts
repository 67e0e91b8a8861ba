import { readSqlitePath } from '@petstore/service/database-url.ts';
import { isPostgresUrl, postgresAddress } from '@petstore/service/postgres-address.ts';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from '../../server/src/store/migrations.ts';
import { DATABASE_VARIABLE } from '../../server/src/store/open-database.ts';
import { postgresDialect } from '../../server/src/store/postgres.ts';
import type { Database, Db } from '../../server/src/store/schema.ts';
import { sqliteDialect } from '../../server/src/store/sqlite.ts';

/**
 * Has a database filled as an earlier version left it: with the tables up to the migration `last`. Its types are
 * today's, so what has changed since is written as `never`.
 */
export async function fillEarlierDatabase(
  url: string,
  last: string,
  fill: (db: Db) => Promise<void>,
): Promise<void> {
  const dialect = isPostgresUrl(url)
    ? postgresDialect(postgresAddress(DATABASE_VARIABLE, url), 1)
    : sqliteDialect(readSqlitePath(DATABASE_VARIABLE, url, 'dashboard'));
  const db = new Kysely<Database>({ dialect: await dialect });
  try {
    const steps = migrations(isPostgresUrl(url) ? 'postgres' : 'sqlite');
    const migrator = new Migrator({ db, provider: { getMigrations: async () => steps } });
    const { error } = await migrator.migrateTo(last);
    if (error) throw error;
    await fill(db);
  } finally {
    await db.destroy();
  }
}
