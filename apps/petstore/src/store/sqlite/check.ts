import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { UserError } from '@petstore/service/user-error.ts';
import { isUnavailable } from './errors.ts';
import { MIGRATIONS } from './migrations.ts';
import { refuseNewer, refuseOtherApplication, schemaVersion } from './open.ts';

const ANOTHER_FILE = 'Name a file that `petstore backup` made.';

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

/**
 * Reads every page of a database that nobody has open, and returns what it contains. It writes nothing, neither into
 * the file nor beside it. Throws UserError where the database is damaged, another program's, or a newer version's, or
 * where it needs a log that lies beside it. `shown` is its name in messages.
 */
export function checkDatabase(path: string, shown = path): DatabaseFacts {
  refuseLeftoverLog(path, shown);
  // Immutable: SQLite takes no locks and creates none of the files that WAL needs. Otherwise it would refuse a folder
  // that cannot be written.
  const url = new URL(`${pathToFileURL(path)}?immutable=1`);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(url, { readOnly: true });
    return check(db, shown);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw damaged(shown, (error as Error).message, error);
  } finally {
    db?.close();
  }
}

/** Throws UserError where a log lies beside a file: the file lacks the commits in it, or has half of one. */
export function refuseLeftoverLog(path: string, shown = path): void {
  for (const suffix of ['-wal', '-journal']) {
    const size = statSync(`${path}${suffix}`, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0) continue;
    throw new UserError(
      `${shown} has a log beside it, ${shown}${suffix}: it is in use, or was copied together with its log. Make one file of them: PETSTORE_DATABASE_URL=sqlite:${shown} petstore backup NEW_FILE`,
    );
  }
}

function check(db: DatabaseSync, shown: string): DatabaseFacts {
  refuseOtherApplication(db, shown, ANOTHER_FILE);
  const schema = schemaVersion(db);
  refuseNewer(schema, shown);
  const problems = db
    .prepare('PRAGMA integrity_check')
    .all()
    .map(({ integrity_check }) => String(integrity_check));
  if (problems[0] !== 'ok') throw damaged(shown, problems.join('; '));
  const orphan = db.prepare('PRAGMA foreign_key_check').get();
  if (orphan) throw damaged(shown, `a row of ${orphan.table} refers to one that is not there`);

  const tables = tablesOf(db);
  const lacking = [...tablesOfSchema(schema)].filter((table) => !tables.has(table));
  if (schema === 0 || lacking.length > 0) {
    const lack = lacking.length > 0 ? `: it lacks ${lacking.join(', ')}` : '';
    throw new UserError(
      `${shown} is a SQLite database, but does not contain a petstore${lack}. ${ANOTHER_FILE}`,
    );
  }
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
}

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

function tablesOf(db: DatabaseSync): Set<string> {
  const rows = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return new Set(rows.map(({ name }) => String(name)));
}

function damaged(shown: string, problem: string, cause?: unknown): UserError {
  const first = problem.length > 200 ? `${problem.slice(0, 200)} …` : problem;
  return new UserError(
    `${shown} is damaged, or is not a SQLite database (${first.replaceAll('\n', ' ')}). Name a file that \`petstore backup\` made, or use an earlier one.`,
    { cause },
  );
}
