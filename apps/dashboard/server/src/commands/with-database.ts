import { type Config, readConfig } from '../config.ts';
import { type Db, openDatabase } from '../store/open-database.ts';

/** Does a piece of work on the database that the environment names, also while the service runs. */
export async function withDatabase<T>(work: (db: Db, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig(process.env);
  const { db, close } = await openDatabase(config.databaseUrl, 1);
  try {
    return await work(db, config);
  } finally {
    await close();
  }
}
