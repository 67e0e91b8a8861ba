import type { Store } from '../store.ts';
import { translateErrors } from './errors.ts';
import { sqliteKeys } from './keys.ts';
import { openDatabase } from './open.ts';
import { sqlitePets } from './pets.ts';

/**
 * Opens the embedded engine on a file, or in memory (`:memory:`, gone with the process). Throws
 * UserError for what the person can mend.
 */
export function openSqliteStore(path: string): Store {
  const db = openDatabase(path);
  const ping = db.prepare('SELECT count(*) FROM sqlite_schema');
  return {
    pets: sqlitePets(db),
    keys: sqliteKeys(db),
    async ping() {
      translateErrors(() => ping.get());
    },
    async close() {
      if (db.isOpen) db.close();
    },
  };
}
