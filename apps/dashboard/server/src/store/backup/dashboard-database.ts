import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { refuseLackingTables, tablesOf } from '@petstore/service/sqlite/check-database.ts';
import type { DatabaseKind } from '@petstore/service/sqlite/database-kind.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { migrations } from '../migrations.ts';
import { DATABASE_VARIABLE, migrateTo } from '../open-database.ts';
import { checkContents } from './check-contents.ts';
import { keyOfSecrets } from './sealed-values.ts';

/** What a dashboard's database contains. */
export interface DashboardFacts {
  /** The last migration that it had, such as `0042_people`. */
  readonly schema: string;
  readonly accounts: number;
  readonly projects: number;
  readonly deploys: number;
  /** Stored contents of sites, each of which was read and has its hash. */
  readonly blobs: number;
  readonly blobBytes: number;
  /** The slugs of projects whose bytes are counted wrong; `dashboard quotas recount` counts them anew. */
  readonly miscounted: readonly string[];
  readonly domains: number;
  readonly certificates: number;
  /** Values that are sealed with the secret key. */
  readonly secrets: number;
  /** The id of that key; null where nothing is sealed. */
  readonly secretKey: string | null;
  /** When the last change of which the audit log tells was made, in ISO 8601; null where there is none. */
  readonly lastChange: string | null;
}

const FIRST = '0001_first';

/** A dashboard's database, for the commands that back it up. */
export const DASHBOARD_DATABASE: DatabaseKind<DashboardFacts> = {
  program: 'dashboard',
  variable: DATABASE_VARIABLE,

  refuseOther(db, shown, remedy) {
    const isEmpty = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
    if (isEmpty || (migrationsOf(db).includes(FIRST) && tablesOf(db).has('projects'))) return;
    throw new UserError(`${shown} is another program's SQLite database. ${remedy}`);
  },

  refuseNewer(db, shown) {
    const known = Object.keys(migrations('sqlite'));
    const newer = migrationsOf(db).filter((name) => !known.includes(name));
    if (newer.length === 0) return;
    throw new UserError(
      `${shown} was written by a newer dashboard (schema ${newer.at(-1)}; this one knows up to ${known.at(-1)}). Upgrade the dashboard.`,
    );
  },

  async readFacts(db, shown, damaged) {
    const schema = migrationsOf(db).at(-1);
    const wanted = schema === undefined ? undefined : await ofSchema(schema, tablesOf);
    refuseLackingTables(DASHBOARD_DATABASE, db, wanted, { shown, owner: 'a dashboard' });
    const tables = tablesOf(db);
    const count = (table: string, where = '') =>
      tables.has(table)
        ? Number(db.prepare(`SELECT count(*) AS n FROM ${table} ${where}`).get()?.n)
        : 0;
    const last = db.prepare('SELECT max(at) AS at FROM audit_log').get()?.at;
    return {
      schema: schema ?? '',
      accounts: count('users'),
      projects: count('projects'),
      deploys: count('deploys'),
      ...checkContents(db, damaged),
      domains: count('domains', 'WHERE removed_at IS NULL'),
      certificates: count('certificates'),
      ...keyOfSecrets(db, damaged),
      lastChange: typeof last === 'number' ? new Date(last).toISOString() : null,
    };
  },

  describe(facts) {
    const { accounts, projects, deploys, blobs, blobBytes, domains, certificates } = facts;
    const of = (count: number, one: string, many = `${one}s`) =>
      `${count} ${count === 1 ? one : many}`;
    const counts = [
      of(accounts, 'account'),
      of(projects, 'project'),
      of(deploys, 'deploy'),
      `${of(blobs, 'content')} of sites (${blobBytes} bytes)`,
      of(domains, 'domain'),
      of(certificates, 'certificate'),
    ];
    return `${counts.join(', ')}; last change ${facts.lastChange ?? 'never'}, schema ${facts.schema}`;
  },
};

/** The migrations that a database had, in their order. */
function migrationsOf(db: DatabaseSync): string[] {
  if (!tablesOf(db).has('kysely_migration')) return [];
  const rows = db.prepare('SELECT name FROM kysely_migration ORDER BY name').all();
  return rows.map(({ name }) => String(name));
}

/**
 * Throws UserError where a backup runs statements that no version of the dashboard runs: a trigger, or a view that is
 * another one. Whoever put it there would act in the service from then on, whatever passwords are changed. `path`: where
 * the backup is, or a copy of it.
 */
export async function refuseForeignStatements(
  { file, schema }: Pick<DashboardFacts, 'schema'> & { readonly file: string },
  path: string,
): Promise<void> {
  const own = await ofSchema(schema, statementsOf);
  const db = new DatabaseSync(new URL(`${pathToFileURL(path)}?immutable=1`), { readOnly: true });
  try {
    const foreign = [...statementsOf(db)].find(([name, sql]) => own.get(name) !== sql);
    if (!foreign) return;
    throw new UserError(
      `${file} has ${foreign[0]}, which no dashboard made: somebody changed this backup, or the database that it is of. Use another one, or drop it there with sqlite3 once you know what it does.`,
    );
  } finally {
    db.close();
  }
}

/** Triggers and views, by their kind and name, with their statements. */
function statementsOf(db: DatabaseSync): Map<string, string> {
  const rows = db
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view')")
    .all();
  return new Map(rows.map(({ type, name, sql }) => [`the ${type} ${name}`, String(sql)]));
}

/** What `read` finds in a version of the schema, by creating it. */
async function ofSchema<T>(last: string, read: (db: DatabaseSync) => T): Promise<T> {
  const db = new DatabaseSync(':memory:');
  try {
    await migrateTo(db, last);
    return read(db);
  } finally {
    db.close();
  }
}
