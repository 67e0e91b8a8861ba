import { setFlagsFromString } from 'node:v8';
import { collectGarbage } from '@petstore/service/collect-garbage.ts';
import { print } from '@petstore/service/commands.ts';
import { IN_MEMORY, sqlitePath } from '@petstore/service/database-url.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { AuditAction, NewAuditEvent } from '../audit/audit-event.ts';
import { readConfig } from '../config.ts';
import type { AuditStore } from '../store/contract/audit-store.ts';
import { describeMigration, type MigrationState } from '../store/migration.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { StoreOptions } from '../store/store-options.ts';

interface Options extends Pick<StoreOptions, 'mustExist'> {
  /** The advice about a store in memory, which no command can reach, as the end of a sentence. */
  readonly instead?: string;
}

/** Opens the store that the environment names, for a piece of work, and closes it. */
export async function withStore<T>(
  { instead = 'set PETSTORE_DATABASE_URL to a file', ...options }: Options,
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
  collectGarbage();
}

/** Records that a piece of work starts, before it: of one that is killed the audit log has no outcome. */
export function recordStart(
  audit: AuditStore,
  action: AuditAction,
  subject: string,
  detail: NewAuditEvent['detail'],
): Promise<void> {
  return audit.add({ at: new Date(), action, subject, detail });
}

/**
 * Does a piece of work, records its outcome in the audit log, and prints its summary, also when it failed. An error of
 * the work takes precedence over an error of the recording, and both over an error of the output.
 */
export async function onRecord(
  audit: AuditStore,
  work: () => Promise<void>,
  event: () => Omit<NewAuditEvent, 'at'>,
  summary: () => string,
): Promise<void> {
  const record = () => audit.add({ at: new Date(), ...event() });
  await andThen(
    () => andThen(work, record),
    () => print(summary()),
  );
}

/** Calls `first` and then `then`, also when `first` failed. An error of `first` takes precedence over one of `then`. */
async function andThen(first: () => Promise<void>, then: () => Promise<void>): Promise<void> {
  try {
    await first();
  } catch (error) {
    await then().catch(() => {});
    throw error;
  }
  await then();
}
