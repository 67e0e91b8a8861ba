import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { sql } from 'kysely';
import { createProject, invite, makeToken } from '../support/project.ts';
import { PASSWORD, type Service, startService } from '../support/service.ts';

onBothEngines('no secret is in the database or the log', async (t) => {
  const service = await startService(t);
  const ann = await service.signUp('ann@example.com');
  await createProject(ann, 'pets');
  const { token } = await makeToken(ann);
  const invitation = await invite(ann, 'pets', 'guest@example.com');
  await service.signUp('guest@example.com', invitation);
  const body = { email: 'ann@example.com', password: PASSWORD };
  const signedIn = await service.visitor().call('POST', '/api/session', body);
  const [, cookie = ''] = /=([\w-]{43});/.exec(signedIn.headers.getSetCookie()[0] ?? '') ?? [];
  await ann.withToken(token).call('GET', '/api/session');
  await service.visitor().call('GET', `/api/invitations/${invitation}`);

  const stored = await everything(service);
  const logged = service.logged.join('');
  assert.ok(stored.includes('ann@example.com') && stored.includes('argon2id'));
  assert.ok(logged.includes('/api/invitations/:secret'));
  for (const secret of [PASSWORD, token, token.replace('dash_', ''), invitation, cookie]) {
    assert.ok(secret.length > 20);
    assert.ok(!stored.includes(secret), `the database has ${secret}`);
    assert.ok(!logged.includes(secret), `the log has ${secret}`);
  }
});

/** All rows of all tables, as text. */
async function everything({ db }: Service): Promise<string> {
  const tables = await db.introspection.getTables();
  assert.ok(tables.length >= 15);
  const rows = await Promise.all(
    tables.map(({ name }) => sql`SELECT * FROM ${sql.table(name)}`.execute(db)),
  );
  return JSON.stringify(rows);
}
