import { existsSync, statSync } from 'node:fs';
import { openToRead } from '@petstore/service/sqlite/database-kind.ts';
import type { MigrationPlan } from '../migration.ts';
import { MIGRATIONS } from './migrations.ts';
import { schemaVersion } from './open.ts';
import { PETSTORE_DATABASE } from './petstore-database.ts';

/** How long all steps together take, in seconds: they change definitions and no rows, and one commit follows. */
const SECONDS = 0.05;

/** The plan of `openDatabase` for the schema of a file. Changes nothing. Throws UserError as `openToRead` does. */
export function planDatabase(path: string): MigrationPlan {
  const current = existsSync(path) ? versionOf(path) : 0;
  // A new file blocks nobody.
  const isUsed = current > 0;
  const tables = isUsed ? [{ table: 'all', rows: null, bytes: statSync(path).size }] : [];
  return {
    current,
    wanted: MIGRATIONS.length,
    steps: MIGRATIONS.slice(current).map(({ does }, at) => ({
      version: current + at + 1,
      does,
      tables,
      lock: isUsed ? 'RESERVED' : null,
      blocks: isUsed ? 'writes' : 'nothing',
      seconds: SECONDS,
      blockedSeconds: isUsed ? SECONDS : 0,
      // To wait for a lock of SQLite blocks nobody else.
      lockWaitSeconds: 0,
    })),
  };
}

function versionOf(path: string): number {
  const db = openToRead(path, PETSTORE_DATABASE);
  try {
    return schemaVersion(db);
  } finally {
    db.close();
  }
}
