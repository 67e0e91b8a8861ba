import type { ColumnDefinitionBuilder, CreateTableBuilder, Kysely } from 'kysely';
import type { Engine } from '../schema.ts';

/** Helpers that the migrations share. */
export interface Tables {
  /** A table whose rows are numbered, in `id`. */
  serial<T extends string>(table: T): CreateTableBuilder<T, 'id'>;
  /** An index. Its name consists of its table and columns. */
  index(table: string, ...columns: string[]): Promise<void>;
}

export function tablesOf({ schema }: Kysely<unknown>, engine: Engine): Tables {
  return {
    serial: (table) =>
      schema
        .createTable(table)
        .addColumn('id', engine === 'sqlite' ? 'integer' : 'bigserial', (column) =>
          // Without this, SQLite reuses the number of a deleted row.
          engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey(),
        ),
    index: (table, ...columns) =>
      schema
        .createIndex(`${table}_${columns.join('_')}`)
        .on(table)
        .columns(columns)
        .execute(),
  };
}

/** A column that refers to another table: its row is deleted with the other one. */
export const partOf = (other: string) => (column: ColumnDefinitionBuilder) =>
  column.notNull().references(other).onDelete('cascade');

/** The same for a primary key. */
export const keyOf = (other: string) => (column: ColumnDefinitionBuilder) =>
  column.primaryKey().references(other).onDelete('cascade');
