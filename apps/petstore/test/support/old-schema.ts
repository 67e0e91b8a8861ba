import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { connectTo, type TestConnection } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { MIGRATIONS } from '../../src/store/postgres/migrations.ts';

/** A database on PostgreSQL as an earlier version has made it, and a connection past the service. */
export async function databaseOf(t: Ending, version: number) {
  const url = await (await sharedServer()).createDatabase();
  const raw = connectTo(url);
  cleanUp(t, () => raw.end());
  await makeSchema(raw, version);
  return { url, raw };
}

/** What an earlier version has made of an empty database. */
export async function makeSchema(raw: TestConnection, version: number): Promise<void> {
  for (const { indexes = [], script } of MIGRATIONS.slice(0, version)) {
    for (const { name, table, columns } of indexes) {
      await raw.unsafe(`CREATE INDEX ${name} ON ${table} (${columns})`);
    }
    await raw.unsafe(script);
  }
  await raw.unsafe(`CREATE TABLE petstore_schema (version integer NOT NULL);
    INSERT INTO petstore_schema VALUES (${version})`);
}
