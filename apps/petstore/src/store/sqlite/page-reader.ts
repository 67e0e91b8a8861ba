import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Page, PageQuery } from '../contract/page.ts';

/** The source of pages. */
export interface Source {
  readonly table: string;
  /** The columns that `json` needs. */
  readonly columns: string;
  /** A row as JSON. SQLite writes integers as they are, so every int64 keeps its digits. */
  readonly json: string;
}

interface Query extends PageQuery {
  readonly status?: string | undefined;
}

/**
 * Makes a function that reads pages in ascending order of id. It prepares one statement for each shape of a query, at
 * its first use. The limit is written into the SQL: SQLite would prepare a statement with `LIMIT ?` anew at every call.
 */
export function pageReader(db: DatabaseSync, source: Source): (query: Query) => Page {
  const prepared = new Map<string, StatementSync>();
  return ({ limit, status, after }) => {
    const shape = `${limit} ${status !== undefined} ${after !== undefined}`;
    let statement = prepared.get(shape);
    if (!statement) {
      statement = preparePage(db, source, limit, status !== undefined, after !== undefined);
      prepared.set(shape, statement);
    }
    const filter = status === undefined ? [] : [status];
    const position = after === undefined ? [] : [after];
    const parameters = [...filter, ...position, ...filter];
    const [json, next] = statement.get(...parameters) as unknown as [string, bigint | null];
    return { json, next: next ?? undefined };
  };
}

/** A page as JSON, and its last id when another row follows. */
function preparePage(
  db: DatabaseSync,
  { table, columns, json }: Source,
  limit: number,
  hasStatus: boolean,
  hasPosition: boolean,
): StatementSync {
  const filter = hasStatus ? 'status = ?' : 'true';
  const page = db.prepare(
    `SELECT json,
       CASE WHEN count = ${limit} AND EXISTS (SELECT 1 FROM ${table} WHERE id > last AND ${filter})
       THEN last END
     FROM (SELECT json_group_array(${json}) AS json, max(id) AS last, count(*) AS count
           FROM (SELECT ${columns} FROM ${table}
                 WHERE ${hasPosition ? 'id > ?' : 'true'} AND ${filter}
                 ORDER BY id LIMIT ${limit}))`,
  );
  page.setReadBigInts(true);
  page.setReturnArrays(true);
  return page;
}

/** Makes a function that reads one row as JSON by its id. */
export function rowReader(
  db: DatabaseSync,
  { table, json }: Source,
): (id: bigint) => string | undefined {
  const select = db.prepare(`SELECT ${json} FROM ${table} WHERE id = ?`);
  select.setReturnArrays(true);
  return (id) => (select.get(id) as [string] | undefined)?.[0];
}
