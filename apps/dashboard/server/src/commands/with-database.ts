import { existsSync } from 'node:fs';
import { IN_MEMORY, sqlitePath } from '@petstore/service/database-url.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { type Config, readConfig } from '../config.ts';
import { openDatabase } from '../store/open-database.ts';
import type { Db } from '../store/schema.ts';

/**
 * Does a piece of work on the configured database, also while the service runs. `mustExist`: the database is not
 * created. In the wrong folder, an empty one would look as if all data were lost.
 */
export async function withDatabase<T>(
  { mustExist }: { mustExist: boolean },
  work: (db: Db, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env);
  const path = sqlitePath(config.databaseUrl);
  if (mustExist && path !== undefined && path !== IN_MEMORY && !existsSync(path)) {
    throw new UserError(
      `There is no database at ${path}. Run this in the folder where the service runs, or set DASHBOARD_DATA_DIR or DASHBOARD_DATABASE_URL as it has them.`,
    );
  }
  const { db, close } = await openDatabase(config.databaseUrl, 1);
  try {
    return await work(db, config);
  } finally {
    await close();
  }
}
