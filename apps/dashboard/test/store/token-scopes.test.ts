import assert from 'node:assert/strict';
import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { type Db, openDatabase } from '../../server/src/store/open-database.ts';

/** Takes the last step back, as if it had never been: what it added is dropped. */
async function beforeScopes(db: Db): Promise<void> {
  await db.schema.alterTable('api_tokens').dropColumn('scopes').execute();
  await db.schema.alterTable('invitations').dropColumn('token_id').execute();
  await db.schema.alterTable('audit_log').dropColumn('token_id').execute();
  await db.schema.alterTable('audit_log').dropColumn('token_name').execute();
  await db
    .deleteFrom('kysely_migration' as never)
    .where('name' as never, '=', '0004_token_scopes' as never)
    .execute();
}

onSharedEngines(
  'tokens from before scopes deploy, and those of the operator keep more',
  async (t, engine) => {
    const url = await engine.createDatabase(t);
    const old = await openDatabase(url, 1);
    await beforeScopes(old.db);
    const at = { created_at: 1 };
    const user = { name: 'Ann', password_hash: '', ...at };
    for (const [id, role] of [
      ['root', 'owner'],
      ['ann', 'user'],
    ] as const) {
      await old.db
        .insertInto('users')
        .values({ ...user, id, email: id, role })
        .execute();
    }
    const project = { id: 'pets', slug: 'pets', name: 'Pets', plan: 'free' as const, ...at };
    await old.db
      .insertInto('projects')
      .values({ ...project, last_deploy_number: 0 })
      .execute();
    const tokens = [
      ['tok_web', 'ann', null, 'session'],
      ['tok_operator', 'ann', null, 'command'],
      ['tok_owner', 'root', null, 'command'],
      ['tok_project', 'ann', 'pets', 'command'],
    ] as const;
    for (const [id, user_id, project_id, via] of tokens) {
      const token = { id, token_hash: id, user_id, name: id, project_id, ...at };
      await old.db
        .insertInto('api_tokens')
        .values(token as never)
        .execute();
      const entry = { at: 1, actor: 'x', via, ip: '', action: 'token.create', target: id };
      const details = JSON.stringify({ id, project: project_id, user: user_id });
      await old.db
        .insertInto('audit_log')
        .values({ ...entry, details } as never)
        .execute();
    }
    await old.close();

    const { db, close } = await openDatabase(url, 1);
    t.after(close);
    const rows = await db.selectFrom('api_tokens').select(['id', 'scopes']).orderBy('id').execute();
    assert.deepEqual(
      rows.map(({ id, scopes }) => `${id}: ${scopes}`),
      [
        'tok_operator: read deploy projects domains',
        'tok_owner: read deploy projects domains installation',
        'tok_project: read deploy',
        'tok_web: read deploy',
      ],
    );
  },
);
