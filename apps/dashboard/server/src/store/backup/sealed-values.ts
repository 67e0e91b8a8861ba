import type { DatabaseSync } from 'node:sqlite';
import type { UserError } from '@petstore/service/user-error.ts';
import { keyIdOf } from '../../certificates/sealing.ts';

/** One that the secret key has to open. */
export interface SealedValue {
  /** Such as `certificates.sealed_key`. */
  readonly column: string;
  readonly value: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** All sealed values of a database of any version. */
export function* sealedValues(db: DatabaseSync): Generator<SealedValue> {
  const columns = db
    .prepare(
      `SELECT tables.name AS "table", columns.name AS "column"
       FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND (columns.name LIKE 'sealed\\_%' ESCAPE '\\' OR columns.name = 'order_key')`,
    )
    .all() as { table: string; column: string }[];
  for (const { table, column } of columns) {
    const rows = db.prepare(`SELECT * FROM ${quoted(table)} WHERE ${quoted(column)} IS NOT NULL`);
    for (const row of rows.iterate()) {
      yield { column: `${table}.${column}`, value: String(row[column]), row };
    }
  }
}

/** Tables of a file that somebody made may have any name. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** How many sealed values there are, and the id of their key. Throws what `damaged` makes of several keys. */
export function keyOfSecrets(
  db: DatabaseSync,
  damaged: (problem: string) => UserError,
): { secrets: number; secretKey: string | null } {
  let secrets = 0;
  let secretKey: string | null = null;
  for (const { column, value } of sealedValues(db)) {
    const key = keyIdOf(value);
    if (key === undefined) throw damaged(`a value of ${column} is not sealed`);
    if (secretKey !== null && key !== secretKey) {
      throw damaged(`its secrets are sealed with different keys, ${secretKey} and ${key}`);
    }
    secretKey = key;
    secrets += 1;
  }
  return { secrets, secretKey };
}
