import { type Kysely, sql } from 'kysely';
import { deploySearchText } from '../../deploys/search-text.ts';
import type { Database, Engine } from '../schema.ts';
import { tablesOf } from './tables.ts';

/**
 * What a team's work needs: deploys with messages that are searched, the log of changes filtered and sent elsewhere,
 * addresses that go on leading to a project, and first steps that go away.
 */
export async function teamWork(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { schema } = db;
  const { index } = tablesOf(db, engine);
  for (const column of ['message', 'created_by_name'])
    await schema.alterTable('deploys').addColumn(column, 'text').execute();
  await sql`UPDATE deploys SET created_by_name =
    (SELECT users.name FROM users WHERE users.id = deploys.created_by)`.execute(db);
  await schema
    .alterTable('deploys')
    .addColumn('search_text', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await fillSearchTexts(db as Kysely<Database>);

  await schema.alterTable('users').addColumn('first_steps_hidden_at', 'bigint').execute();

  for (const column of ['actor', 'action', 'target']) await index('audit_log', column, 'id');
  await index('audit_log', 'at');
  await schema.alterTable('audit_log').addColumn('forwarded_at', 'bigint').execute();
  await sql`CREATE INDEX audit_log_unforwarded ON audit_log (id) WHERE forwarded_at IS NULL`.execute(
    db,
  );
  await schema
    .createTable('audit_forwarding')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('leased_by', 'text')
    .addColumn('leased_until', 'bigint')
    .execute();
  await sql`INSERT INTO audit_forwarding (id) VALUES (1)`.execute(db);

  await schema
    .alterTable('reserved_labels')
    .addColumn('redirects', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
  await index('reserved_labels', 'project_id');
}

/** How many deploys are read at once. */
const PAGE = 500;

/** Deploys from before are found as new ones are. */
async function fillSearchTexts(db: Kysely<Database>): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('deploys')
      .select(['id', 'number', 'source_commit', 'branch', 'version'])
      .select(['source_name', 'created_by_email', 'created_by_name'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE)
      .execute();
    for (const row of rows) {
      await db
        .updateTable('deploys')
        .set({ search_text: deploySearchText({ ...row, message: null }) })
        .where('id', '=', row.id)
        .execute();
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.id;
  }
}
