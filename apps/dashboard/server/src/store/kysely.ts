import type * as kysely from 'kysely';
import type * as migration from 'kysely/migration';
import { asOneFile } from '../one-file.ts';

// Kysely is 257 modules, which take 120 ms of processor time to load, and 10 as one file: a third of what a command costs.

const modules: typeof import('./kysely-modules.ts') = await import(
  await asOneFile(new URL('kysely-modules.ts', import.meta.url), {
    manifest: new URL('../package.json', import.meta.resolve('kysely')),
  })
);

export const {
  expressionBuilder,
  Kysely,
  Migrator,
  PostgresDialect,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  sql,
} = modules;

export type Migrator = migration.Migrator;
export type PostgresDialect = kysely.PostgresDialect;
