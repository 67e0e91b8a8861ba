// What the store uses of Kysely. It is loaded by kysely.ts.

export {
  expressionBuilder,
  Kysely,
  PostgresDialect,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  sql,
} from 'kysely';
export { Migrator } from 'kysely/migration';
