import type { Kysely } from 'kysely';

/** Names that redirect, pairs of names, and names of one version, which have a primary of their own. */
export async function domainNames(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable('domains').addColumn('version', 'text').execute();
  await schema.alterTable('domains').addColumn('redirect', 'text').execute();
  await schema
    .alterTable('domains')
    .addColumn('is_second', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await schema.alterTable('site_versions').addColumn('primary_domain_id', 'text').execute();
}
