import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { UserError } from '../user-error.ts';
import { adviseBackupFile, type DatabaseKind } from './database-kind.ts';
import { isUnavailable } from './result-codes.ts';

/**
 * Reads every page of a database that nobody has open, and returns what it contains. It writes nothing, neither into
 * the file nor beside it. Rejects with UserError where the database is damaged, another program's, or a newer version's, or
 * where it needs a log that lies beside it. `shown` is its name in messages.
 */
export async function checkDatabase<Facts extends object>(
  kind: DatabaseKind<Facts>,
  path: string,
  shown = path,
): Promise<Facts> {
  refuseLeftoverLog(kind, path, shown);
  // Immutable: SQLite takes no locks and creates none of the files that WAL needs. Otherwise it would refuse a folder
  // that cannot be written.
  const url = new URL(`${pathToFileURL(path)}?immutable=1`);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(url, { readOnly: true });
    return await check(kind, db, shown);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw damaged(kind, shown, (error as Error).message, error);
  } finally {
    db?.close();
  }
}

/** Throws UserError where a log lies beside a file: the file lacks the commits in it, or has half of one. */
export function refuseLeftoverLog(
  { variable, program }: Pick<DatabaseKind<object>, 'variable' | 'program'>,
  path: string,
  shown = path,
): void {
  for (const suffix of ['-wal', '-journal']) {
    const size = statSync(`${path}${suffix}`, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0) continue;
    throw new UserError(
      `${shown} has a log beside it, ${shown}${suffix}: it is in use, or was copied together with its log. Make one file of them: ${variable}=sqlite:${shown} ${program} backup NEW_FILE`,
    );
  }
}

function check<Facts extends object>(
  kind: DatabaseKind<Facts>,
  db: DatabaseSync,
  shown: string,
): Facts | Promise<Facts> {
  kind.refuseOther(db, shown, adviseBackupFile(kind));
  kind.refuseNewer(db, shown);
  const problems = db
    .prepare('PRAGMA integrity_check')
    .all()
    .map(({ integrity_check }) => String(integrity_check));
  if (problems[0] !== 'ok') throw damaged(kind, shown, problems.join('; '));
  const orphan = db.prepare('PRAGMA foreign_key_check').get();
  if (orphan) {
    throw damaged(kind, shown, `a row of ${orphan.table} refers to one that is not there`);
  }
  return factsOf(kind, db, shown);
}

/** What a file holds may be anything, also what no program wrote: an error of reading it says that it is damaged. */
async function factsOf<Facts extends object>(
  kind: DatabaseKind<Facts>,
  db: DatabaseSync,
  shown: string,
): Promise<Facts> {
  try {
    return await kind.readFacts(db, shown, (problem) => damaged(kind, shown, problem));
  } catch (error) {
    if (error instanceof UserError || isUnavailable(error)) throw error;
    throw damaged(kind, shown, (error as Error).message, error);
  }
}

function damaged(
  kind: Pick<DatabaseKind<object>, 'program'>,
  shown: string,
  problem: string,
  cause?: unknown,
): UserError {
  const first = problem.length > 200 ? `${problem.slice(0, 200)} …` : problem;
  return new UserError(
    `${shown} is damaged, or is not a SQLite database (${first.replaceAll('\n', ' ')}). Name a file that \`${kind.program} backup\` made, or use an earlier one.`,
    { cause },
  );
}

/**
 * Throws UserError where a database lacks one of the tables, or belongs to nobody yet (`tables` is undefined). `owner`:
 * what it should contain, such as `a petstore`.
 */
export function refuseLackingTables(
  kind: Pick<DatabaseKind<object>, 'program'>,
  db: DatabaseSync,
  tables: Iterable<string> | undefined,
  { shown, owner }: { shown: string; owner: string },
): void {
  const there = tablesOf(db);
  const lacking = [...(tables ?? [])].filter((table) => !there.has(table));
  if (tables && lacking.length === 0) return;
  const lack = lacking.length > 0 ? `: it lacks ${lacking.join(', ')}` : '';
  throw new UserError(
    `${shown} is a SQLite database, but does not contain ${owner}${lack}. ${adviseBackupFile(kind)}`,
  );
}

/** The names of a database's tables. */
export function tablesOf(db: DatabaseSync): Set<string> {
  const rows = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return new Set(rows.map(({ name }) => String(name)));
}
