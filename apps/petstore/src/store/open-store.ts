import { readSqlitePath } from '@petstore/service/database-url.ts';
import {
  isPostgresUrl,
  type PostgresAddress,
  postgresAddress,
} from '@petstore/service/postgres-address.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { MigrationPlan, MigrationReport, OnMigration } from './migration.ts';
import { DATABASE_VARIABLE, openDatabase } from './sqlite/open.ts';
import { planDatabase } from './sqlite/plan.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { Store } from './store.ts';
import type { StoreOptions } from './store-options.ts';

/** The one that names its replicas. */
const REPLICA_VARIABLE = 'PETSTORE_DATABASE_REPLICA_URL';

/** Opens the store that a `PETSTORE_DATABASE_URL` names. Rejects with UserError where that fails. */
export async function openStore(databaseUrl: string, options: StoreOptions = {}): Promise<Store> {
  if (isPostgresUrl(databaseUrl)) {
    // Loaded here, since most installations never need it.
    const { openPostgresStore } = await import('./postgres/postgres-store.ts');
    const address = postgresAddress(DATABASE_VARIABLE, databaseUrl);
    return openPostgresStore(address, replicaAddresses(options.replicaUrls), options);
  }
  if (options.replicaUrls?.length) {
    throw new UserError(
      `${REPLICA_VARIABLE} needs PostgreSQL, but ${DATABASE_VARIABLE} names another kind of database. Unset ${REPLICA_VARIABLE}, or set ${DATABASE_VARIABLE} to postgres://….`,
    );
  }
  return openSqliteStore(sqliteFile(databaseUrl), options);
}

/** The plan of `migrateStore`. Changes nothing. Rejects with UserError where that fails. */
export async function planMigration(databaseUrl: string): Promise<MigrationPlan> {
  if (isPostgresUrl(databaseUrl)) {
    const { planDatabase } = await import('./postgres/open.ts');
    return planDatabase(await postgresServer(databaseUrl));
  }
  return planDatabase(sqliteFile(databaseUrl));
}

/**
 * Brings the schema of the store that a `PETSTORE_DATABASE_URL` names up to date, as `openStore` does, and returns what
 * was done. Rejects with UserError where that fails.
 */
export async function migrateStore(
  databaseUrl: string,
  onMigration: OnMigration,
): Promise<MigrationReport> {
  if (isPostgresUrl(databaseUrl)) {
    const { prepareDatabase } = await import('./postgres/open.ts');
    return prepareDatabase(await postgresServer(databaseUrl), { onMigration });
  }
  const path = sqliteFile(databaseUrl);
  const { current, wanted, steps } = planDatabase(path);
  const begunAt = performance.now();
  openDatabase(path).close();
  const seconds = (performance.now() - begunAt) / 1_000;
  return {
    from: current,
    to: wanted,
    // One transaction for all of them.
    steps: steps.map(({ version, does }) => ({ version, does, seconds, blockedSeconds: seconds })),
  };
}

function sqliteFile(databaseUrl: string): string {
  return readSqlitePath(DATABASE_VARIABLE, databaseUrl, 'petstore');
}

async function postgresServer(databaseUrl: string) {
  const { serverOf } = await import('./postgres/client.ts');
  return serverOf(postgresAddress(DATABASE_VARIABLE, databaseUrl));
}

/** The addresses of `PETSTORE_DATABASE_REPLICA_URL`. Throws UserError for one that is malformed. */
export function replicaAddresses(urls: readonly string[] = []): PostgresAddress[] {
  return urls.map((url) => postgresAddress(REPLICA_VARIABLE, url, 'standby'));
}
