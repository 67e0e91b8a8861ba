import { DatabaseSync } from 'node:sqlite';
import { refuseLackingTables, tablesOf } from '@petstore/service/sqlite/check-database.ts';
import type { DatabaseKind } from '@petstore/service/sqlite/database-kind.ts';
import { MIGRATIONS } from './migrations.ts';
import { DATABASE_VARIABLE, refuseNewer, refuseOtherApplication, schemaVersion } from './open.ts';

/** What a petstore's database contains. */
export interface DatabaseFacts {
  /** The version of its schema, as MIGRATIONS counts. */
  readonly schema: number;
  readonly animals: number;
  readonly categories: number;
  readonly orders: number;
  /** API keys, revoked ones included. */
  readonly keys: number;
}

/** A petstore's database, for the commands that back it up. */
export const PETSTORE_DATABASE: DatabaseKind<DatabaseFacts> = {
  program: 'petstore',
  variable: DATABASE_VARIABLE,
  refuseOther: refuseOtherApplication,
  refuseNewer: (db, shown) => refuseNewer(schemaVersion(db), shown),
  readFacts(db, shown) {
    const schema = schemaVersion(db);
    const wanted = schema === 0 ? undefined : tablesOfSchema(schema);
    refuseLackingTables(PETSTORE_DATABASE, db, wanted, { shown, owner: 'a petstore' });
    const tables = tablesOf(db);
    const count = (table: string) =>
      tables.has(table) ? Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n) : 0;
    return {
      schema,
      animals: count('pets'),
      // Schema 2 added these two.
      categories: count('categories'),
      orders: count('orders'),
      keys: count('api_keys'),
    };
  },
  describe({ animals, categories, orders, keys, schema }) {
    const counts = [
      `${animals} ${animals === 1 ? 'animal' : 'animals'}`,
      `${categories} ${categories === 1 ? 'category' : 'categories'}`,
      `${orders} ${orders === 1 ? 'order' : 'orders'}`,
      `${keys} ${keys === 1 ? 'key' : 'keys'}`,
    ];
    return `${counts.join(', ')}; schema ${schema}`;
  },
};

/** The tables of a version of the schema, found by creating it. */
function tablesOfSchema(version: number): Set<string> {
  const db = new DatabaseSync(':memory:');
  try {
    for (const { script } of MIGRATIONS.slice(0, version)) db.exec(script);
    return tablesOf(db);
  } finally {
    db.close();
  }
}
