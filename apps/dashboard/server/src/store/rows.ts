import { type Kysely, sql } from 'kysely';
import type { Database, Db, Row, RowChange, Trx } from './schema.ts';

type Table = keyof Database;

/** Columns and the values that they have; null where they have none. */
type Values<T extends Table> = { readonly [Column in keyof Row<T>]?: Row<T>[Column] };

/** Kysely's types do not follow a table that is a parameter; those of the functions below do. */
function untyped(db: Db) {
  return db as unknown as Kysely<Record<string, Record<string, unknown>>>;
}

/** The row with these values. */
export function findRow<T extends Table>(
  db: Db,
  table: T,
  values: Values<T>,
): Promise<Row<T> | undefined> {
  const query = untyped(db)
    .selectFrom(table as string)
    .selectAll();
  return query.where(({ and }) => and(values)).executeTakeFirst() as Promise<Row<T> | undefined>;
}

/** Changes the rows with these values; whether there was one. */
export async function updateRows<T extends Table>(
  db: Db,
  table: T,
  values: Values<T>,
  change: RowChange<T>,
): Promise<boolean> {
  const query = untyped(db)
    .updateTable(table as string)
    .set(change);
  const { numUpdatedRows } = await query.where(({ and }) => and(values)).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes the rows with these values; whether there was one. */
export async function deleteRows<T extends Table>(
  db: Db,
  table: T,
  values: Values<T>,
): Promise<boolean> {
  const query = untyped(db).deleteFrom(table as string);
  const { numDeletedRows } = await query.where(({ and }) => and(values)).executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Locks the row with these values until the transaction ends. undefined when there is none. On SQLite a transaction is
 * alone from its beginning.
 *
 * Not with an update that changes nothing: on PostgreSQL it makes a new version of the row, for which all who waited for
 * the old one compete, again and again, while those who wait for a lock alone stay in line. A holder that changes the
 * row does so as late as it can, for the same reason.
 */
export function lockRow<T extends Table>(
  trx: Trx,
  table: T,
  values: Values<T>,
): Promise<Row<T> | undefined> {
  const query = untyped(trx)
    .selectFrom(table as string)
    .selectAll()
    .forNoKeyUpdate();
  return query.where(({ and }) => and(values)).executeTakeFirst() as Promise<Row<T> | undefined>;
}

/** Whether a row is not leased. */
export function isFree(now: number) {
  return sql<boolean>`(leased_until IS NULL OR leased_until <= ${now})`;
}
