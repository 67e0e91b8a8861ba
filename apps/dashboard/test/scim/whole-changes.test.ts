import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { sql } from 'kysely';
import { NO_PASSWORD } from '../../server/src/accounts/passwords.ts';
import { until } from '../notices/support/delivery.ts';
import { startMailServer } from '../notices/support/mail-server.ts';
import { idOf, makeToken } from '../support/project.ts';
import { json, PASSWORD } from '../support/service.ts';
import { lockWaits } from '../support/store.ts';
import { assertScimError, makeUser, patch, startDirectory } from './support/directory.ts';

// RFC 7644, section 3.5.2: a PATCH with any number of operations is atomic.

test('a change that fails half way changes nothing, and the directory may repeat it', async (t) => {
  const mail = await startMailServer(t);
  const {
    scim,
    service,
    root,
    token: key,
  } = await startDirectory(t, {
    mail: { smtpUrl: mail.url(), from: 'Docs <docs@example.com>' },
  });
  const { db } = service;
  const ann = await service.signUp('ann@example.com');
  const id = await idOf(ann);
  const token = service.visitor().withToken((await makeToken(ann)).token);
  const stored = async () => ({
    user: await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst(),
    scim: await db.selectFrom('scim_users').selectAll().where('user_id', '=', id).execute(),
    sessions: await db.selectFrom('sessions').select('id').where('user_id', '=', id).execute(),
    audit: await db.selectFrom('audit_log').select('action').orderBy('id').execute(),
  });
  const cases = [
    // Whoever leaves: the name is written before, the address after.
    ['email', { displayName: 'Ann Lind', emails: [{ value: 'lind@example.com' }] }],
    ['disabled_at', { displayName: 'Ann Lee', active: false }],
    ['disabled_at', { displayName: 'Ann Lund', active: true }],
    ['email', { active: false, emails: [{ value: 'gone@example.com' }] }],
  ] as const;
  let told = 0;
  for (const [fails, value] of cases) {
    const what = JSON.stringify(value);
    const before = await stored();
    const headers = { 'if-match': (await scim('GET', `/Users/${id}`)).body.meta.version };
    const body = patch({ op: 'replace', value });
    // As if the database had failed between two of the steps.
    await sql`
      CREATE TRIGGER fails BEFORE UPDATE OF ${sql.ref(fails)} ON users
      BEGIN SELECT RAISE(ABORT, 'fails'); END`.execute(db);
    const failed = await fetch(`${key.url}/Users/${id}`, {
      method: 'PATCH',
      headers: {
        ...headers,
        authorization: `Bearer ${key.token}`,
        'content-type': 'application/scim+json',
      },
      body: JSON.stringify(body),
    });
    assert.equal(failed.status, 500, what);
    await sql`DROP TRIGGER fails`.execute(db);
    assert.deepEqual(await stored(), before, what);
    assert.equal(mail.mails.length, told, what);

    // With the version that the directory knows.
    const again = await scim('PATCH', `/Users/${id}`, body, headers);
    assert.equal(again.status, 200, JSON.stringify(again.body));
    assert.equal(again.body.active, !('active' in value) || value.active, what);
    if ('emails' in value) told += 1;
    await until(async () => mail.mails.length >= told, 'the old address was told');
  }
  assert.equal((await ann.call('GET', '/api/session')).status, 401);
  assert.equal((await token.call('GET', '/api/projects')).status, 401);
  const { items } = await json<{ items: { id: string; email: string; name: string }[] }>(
    await root.call('GET', '/api/installation/users'),
  );
  const left = items.find((each) => each.id === id);
  assert.deepEqual([left?.email, left?.name], ['gone@example.com', 'Ann Lund']);
  assert.deepEqual(
    mail.mails.map(({ to }) => to),
    [['<ann@example.com>'], ['<lind@example.com>']],
  );
});

onBothEngines('a change that is refused changes nothing', async (t) => {
  const { scim, service, root } = await startDirectory(t);
  const ann = await service.signUp('ann@example.com');
  const owner = await idOf(root);
  const stored = () =>
    service.db
      .selectFrom('users')
      .leftJoin('scim_users', 'user_id', 'users.id')
      .select(['email', 'name', 'disabled_at', 'attributes'])
      .orderBy('email')
      .execute();
  const before = await stored();
  const cases: [id: string, value: object, scimType: string | undefined, says: RegExp][] = [
    [owner, { displayName: 'No', active: false }, undefined, /^root@example\.com owns/],
    [owner, { displayName: 'No', emails: [{ value: 'x@a.b' }] }, undefined, /owns the install/],
    [
      await idOf(ann),
      { displayName: 'No', emails: [{ value: 'root@example.com' }] },
      'uniqueness',
      /^An account with the address root@example\.com is here already\. Find it/,
    ],
    [
      await idOf(ann),
      { displayName: 'No', userName: 'root@example.com' },
      'uniqueness',
      /^An account with the userName root@example\.com is here already\.$/,
    ],
  ];
  for (const [id, value, scimType, says] of cases) {
    const refused = await scim('PATCH', `/Users/${id}`, patch({ op: 'replace', value }));
    assert.match(assertScimError(refused, 409, scimType), says);
    assert.deepEqual(await stored(), before, JSON.stringify(value));
  }
});

onBothEngines(
  'whoever leaves is out, even if another account takes their new address at that moment',
  async (t, { isShared }) => {
    const { scim, service } = await startDirectory(t);
    const { db } = service;
    const ann = await service.signUp('ann@example.com');
    const id = await idOf(ann);
    const emails = [{ value: 'lee@example.com' }];
    const send = (active: boolean) =>
      scim('PATCH', `/Users/${id}`, patch({ op: 'replace', value: { active, emails } }));
    /** The response to a request that waits for one who takes an address. */
    const whileTaken = async (email: string, respond: () => ReturnType<typeof send>) => {
      let responding: ReturnType<typeof send> | undefined;
      await db.transaction().execute(async (trx) => {
        await trx
          .insertInto('users')
          .values({
            ...{ id: `usr_${email}`, email, name: 'Lee', password_hash: NO_PASSWORD },
            ...{ role: 'user', created_at: 1 },
          })
          .execute();
        responding = respond();
        // SQLite in memory has one connection: the request waits for that.
        if (isShared) await lockWaits(db);
      });
      return responding as ReturnType<typeof send>;
    };
    const left = await whileTaken('lee@example.com', () => send(false));
    assert.equal((await ann.call('GET', '/api/session')).status, 401);
    assert.equal(left.status, 200, JSON.stringify(left.body));
    assert.deepEqual([left.body.active, left.body.emails[0].value], [false, 'ann@example.com']);

    assertScimError(await send(true), 409, 'uniqueness');
    assert.equal((await scim('GET', `/Users/${id}`)).body.active, false);
  },
);

onBothEngines(
  'whoever leaves is out, even if another account has an address that their directory prefers',
  async (t) => {
    const directory = await startDirectory(t);
    const { scim, service } = directory;
    const ann = await service.signUp('ann@example.com');
    const id = await idOf(ann);
    const emails = [{ value: 'ann@acme.example', primary: true }, { value: 'ann@example.com' }];
    const named = patch({ op: 'replace', value: { userName: 'ann@acme.example', emails } });
    assert.equal((await scim('PATCH', `/Users/${id}`, named)).status, 200);
    // She takes the other of her two addresses, and somebody the first.
    const change = { email: 'ann@example.com', password: PASSWORD };
    await json(await ann.call('POST', '/api/account/email', change));
    await service.signUp('ann@acme.example');
    const bob = await makeUser(directory, 'bob@acme.example', {
      emails: [{ value: 'bob@example.com' }],
    });

    const off = patch({ op: 'replace', value: { active: false } });
    const left = await scim('PATCH', `/Users/${id}`, off);
    assert.equal(left.status, 200, JSON.stringify(left.body));
    assert.equal((await ann.call('GET', '/api/session')).status, 401);
    // No address follows from a userName that is not theirs.
    const gone = await scim('PUT', `/Users/${bob}`, {
      userName: 'ann@acme.example',
      active: false,
    });
    assert.equal(gone.status, 200, JSON.stringify(gone.body));
    const people = await service.db.selectFrom('users').select(['id', 'email']).execute();
    const addresses = new Map(people.map((each) => [each.id, each.email]));
    assert.deepEqual(
      [addresses.get(id), addresses.get(bob)],
      ['ann@example.com', 'bob@example.com'],
    );
  },
);
