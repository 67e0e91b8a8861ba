import type { Engine } from '@petstore/test-support/engines.ts';
import { connectTo, type TestConnection } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { openStore } from '../../src/store/open-store.ts';
import { MIGRATIONS } from '../../src/store/postgres/migrations.ts';
import { makeSchema } from './old-schema.ts';

function formOf(name: string, template: string, make: (url: string) => Promise<void>): Engine {
  return {
    ...{ name, isShared: true },
    createDatabase: async () =>
      (await sharedServer()).copyDatabase({ name: template, prepare: make }),
  };
}

async function connected(url: string, work: (raw: TestConnection) => Promise<unknown>) {
  const raw = connectTo(url);
  await work(raw);
  await raw.end();
}

/** A database of before animals were divided by id. */
export const ONE_TABLE: Engine = formOf(
  'PostgreSQL, animals in one table',
  'petstore_one_table',
  (url) => connected(url, (raw) => makeSchema(raw, MIGRATIONS.length)),
);

/** One whose first animals are in several partitions. */
export const SMALL_PARTITIONS: Engine = formOf(
  'PostgreSQL, animals in small partitions',
  'petstore_small_partitions',
  async (url) => {
    await (await openStore(url)).close();
    const bounds = ['MINVALUE', -5, 0, 2, 3, 10, 1_000, 'MAXVALUE'];
    const partitions = bounds
      .slice(1)
      .map(
        (end, at) =>
          `CREATE TABLE pets_${at + 1} PARTITION OF pets FOR VALUES FROM (${bounds[at]}) TO (${end})`,
      );
    await connected(url, (raw) => raw.unsafe(`DROP TABLE pets_1; ${partitions.join(';')}`));
  },
);
