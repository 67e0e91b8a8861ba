import type { ColumnDefinitionBuilder, CreateTableBuilder, Kysely } from 'kysely';
import type { Engine } from '../schema.ts';

/** What steps of the migration make alike. */
export interface Tables {
  /** A table whose rows are counted, in `id`. */
  serial<T extends string>(table: T): CreateTableBuilder<T, 'id'>;
  /** An index, named by its table and columns. */
  index(table: string, ...columns: string[]): Promise<void>;
}

export function tablesOf({ schema }: Kysely<unknown>, engine: Engine): Tables {
  return {
    serial: (table) =>
      schema
        .createTable(table)
        .addColumn('id', engine === 'sqlite' ? 'integer' : 'bigserial', (column) =>
          // SQLite gives a number twice after its row is gone, unless told not to.
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

/** A column that refers to another table's: its row goes with that one. */
export const partOf = (other: string) => (column: ColumnDefinitionBuilder) =>
  column.notNull().references(other).onDelete('cascade');

/** The same for a primary key. */
export const keyOf = (other: string) => (column: ColumnDefinitionBuilder) =>
  column.primaryKey().references(other).onDelete('cascade');
