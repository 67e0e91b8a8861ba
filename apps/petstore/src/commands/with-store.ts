import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { IN_MEMORY, sqlitePath } from '@petstore/service/database-url.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { readConfig } from '../config.ts';
import { describeMigration, type MigrationState } from '../store/migration.ts';
import { openStore } from '../store/open-store.ts';
import type { Store, StoreOptions } from '../store/store.ts';

interface Options extends Pick<StoreOptions, 'mustExist'> {
  /** The advice about a store in memory, which no command can reach, as the end of a sentence. */
  readonly instead: string;
}

/** Opens the store that the environment names, for a piece of work, and closes it. */
export async function withStore<T>(
  { instead, ...options }: Options,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const { databaseUrl } = readConfig(process.env);
  if (sqlitePath(databaseUrl) === IN_MEMORY) {
    throw new UserError(`A store in memory belongs to the process that serves it; ${instead}.`);
  }
  let isTold = false;
  const onMigration = (state: MigrationState) => {
    if (!isTold) process.stderr.write(`${describeMigration(state)}\n`);
    isTold = true;
  };
  const store = await openStore(databaseUrl, {
    ...{ ...options, onMigration },
    ...{ mayBlock: true, poolSize: 1 },
  });
  // Modules that are loaded after the flags change are compiled anew: compiled code is stale under other flags.
  keepHeapSmall();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/**
 * The command shares the machine with the service, so garbage is collected early: otherwise the heap grows to three
 * times its size over millions of animals. V8's flags for sizes have no effect after the start. These flags have, and
 * one collection makes V8 measure its limit anew. A test checks the result.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
}
