import type { Kysely } from 'kysely';

interface Tables {
  api_tokens: { id: string; user_id: string; project_id: string | null; scopes: string };
  users: { id: string; role: string };
  audit_log: { action: string; via: string; details: string };
}

/**
 * Adds scopes to tokens, and the token to entries of the audit log and to invitations. Existing tokens may read and
 * deploy. Those that the operator created for all projects, by the audit log, keep the scopes that scripts use.
 */
export async function tokenScopes(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable('api_tokens')
    .addColumn('scopes', 'text', (c) => c.notNull().defaultTo('read deploy'))
    .execute();
  await schema.alterTable('invitations').addColumn('token_id', 'text').execute();
  await schema.alterTable('audit_log').addColumn('token_id', 'text').execute();
  await schema.alterTable('audit_log').addColumn('token_name', 'text').execute();

  const tables = db as Kysely<Tables>;
  const made = await tables
    .selectFrom('audit_log')
    .select('details')
    .where('action', '=', 'token.create')
    .where('via', '=', 'command')
    .execute();
  const owners = tables.selectFrom('users').select('id').where('role', '=', 'owner');
  for (const { details } of made) {
    const { id } = JSON.parse(details) as { id: string };
    const token = tables
      .updateTable('api_tokens')
      .where('id', '=', id)
      .where('project_id', 'is', null);
    await token.set({ scopes: 'read deploy projects domains' }).execute();
    await token
      .set({ scopes: 'read deploy projects domains installation' })
      .where('user_id', 'in', owners)
      .execute();
  }
}
