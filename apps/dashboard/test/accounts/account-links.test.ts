import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { AccountLink, EmailChange, PasswordLink } from '../../server/src/accounts/account.ts';
import { NO_PASSWORD } from '../../server/src/accounts/passwords.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import type { CreatedInvitation } from '../../server/src/projects/project.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { until } from '../notices/support/delivery.ts';
import { type MailServer, startMailServer } from '../notices/support/mail-server.ts';
import { createProject, idOf, makeToken } from '../support/project.ts';
import { assertError, json, PASSWORD, startService, type Visitor } from '../support/service.ts';

const HOUR_MS = 3_600_000;

/** A letter as its reader sees it. */
function read(data: string): { subject: string; text: string; secret: string } {
  const text = data
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  const [, subject = ''] = /^Subject: (.*)$/m.exec(data) ?? [];
  const [, secret = ''] = /#([\w-]{43})$/m.exec(text) ?? [];
  return { subject, text, secret };
}

/** An installation that sends mail, with its owner and Ann. */
async function withMail(t: TestContext) {
  const server = await startMailServer(t);
  const clock = { ahead: 0 };
  const service = await startService(
    t,
    { signUp: 'open', mail: { smtpUrl: server.url(), from: 'Docs <docs@example.com>' } },
    { now: () => Date.now() + clock.ahead },
  );
  const root = await service.signUp('root@example.com');
  const ann = await service.signUp('ann@example.com');
  return { server, service, root, ann, clock, letters: lettersOf(server) };
}

/** Waits for as many letters as there must be by then; those to an address, the newest last. */
const lettersOf = (server: MailServer) => async (count: number, to: string) => {
  await until(async () => server.mails.length >= count, `${count} letters came`);
  assert.equal(server.mails.length, count);
  return server.mails.filter((mail) => mail.to.includes(`<${to}>`)).map(({ data }) => read(data));
};

const signIn = (someone: Visitor, email: string, password: string) =>
  someone.call('POST', '/api/session', { email, password });

const reset = (someone: Visitor, secret: string, password: string, more = {}) =>
  someone.call('POST', '/api/account-links/password', { secret, password, ...more });

const NEXT = 'another horse battery';

onBothEngines(
  'a forgotten password is set by a link that is mailed, ends, and works once',
  async (t) => {
    const { service, ann, clock, letters } = await withMail(t);
    const token = service.visitor().withToken((await makeToken(ann)).token);
    const visitor = service.visitor();
    const forget = (email: string) => visitor.call('POST', '/api/forgotten-password', { email });
    const [known, unknown] = [await forget(' Ann@example.com'), await forget('eve@example.com')];
    assert.deepEqual([known.status, await known.text()], [202, '{}']);
    assert.deepEqual([unknown.status, await unknown.text()], [202, '{}']);
    const [first] = await letters(1, 'ann@example.com');
    assert.equal(first?.subject, 'Set a new password');
    const { secret = '' } = first ?? {};
    assert.match(
      first?.text ?? '',
      new RegExp(`^${service.origin}/reset-password#${secret}$`, 'm'),
    );
    const found = await visitor.call('POST', '/api/account-links/look-up', { secret });
    const { kind, email } = await json<AccountLink>(found);
    assert.deepEqual([kind, email], ['password', 'ann@example.com']);

    await assertError(await reset(visitor, secret, 'short'), 400, 'invalid_request');
    await assertError(await reset(visitor, 'guessed', NEXT), 404, 'not_found');
    const wrongKind = await visitor.call('POST', '/api/account-links/email', { secret });
    await assertError(wrongKind, 409, 'conflict');
    // A second link ends the first, and each ends by itself.
    await forget('ann@example.com');
    const [, second] = await letters(2, 'ann@example.com');
    await assertError(await reset(visitor, secret, NEXT), 404, 'not_found');
    // It is written down that the letters were sent: an hour later, another process would send them again.
    const unsent = service.db.selectFrom('notices').select('id').where('delivered_at', 'is', null);
    await until(async () => (await unsent.execute()).length === 0, 'all letters are sent');
    clock.ahead = HOUR_MS;
    await assertError(await reset(visitor, second?.secret ?? '', NEXT), 404, 'not_found');
    clock.ahead = 0;
    // Whoever had the account before may have left a way in.
    const user_id = await idOf(ann);
    await service.db
      .insertInto('identities')
      .values({
        ...{ id: 'idn_x', user_id, provider: 'acme', issuer: 'https://acme.example' },
        ...{ subject: 'x', email: 'mallory@acme.example', created_at: 1, last_used_at: 1 },
      })
      .execute();
    assert.equal((await reset(visitor, second?.secret ?? '', NEXT)).status, 204);
    await assertError(await reset(visitor, second?.secret ?? '', NEXT), 404, 'not_found');

    // Nobody is signed in by it, all sessions end, and tokens go on.
    assert.equal((await visitor.call('GET', '/api/session')).status, 401);
    assert.equal((await ann.call('GET', '/api/session')).status, 401);
    assert.equal((await token.call('GET', '/api/projects')).status, 200);
    await assertError(await signIn(ann, 'ann@example.com', PASSWORD), 401, 'unauthorized');
    await json(await signIn(ann, 'ann@example.com', NEXT));
    const [, , told] = await letters(3, 'ann@example.com');
    assert.equal(told?.subject, 'Your password was changed');
    assert.match(
      told?.text ?? '',
      /open it as before:\n- the account mallory@acme\.example at acme\n- the API token .{3}for a test/,
    );
    await service.db.deleteFrom('identities').execute();
    const logged = service.logged.join('\n');
    assert.ok(!logged.includes(secret) && !logged.includes(second?.secret ?? '?'));

    const third = await forget('ann@example.com');
    const [, , , last] = await letters(4, 'ann@example.com');
    assert.equal(third.status, 202);
    assert.equal(
      (await reset(visitor, last?.secret ?? '', PASSWORD, { revokeTokens: true })).status,
      204,
    );
    assert.equal((await token.call('GET', '/api/projects')).status, 401);
    const [, , , , bare] = await letters(5, 'ann@example.com');
    assert.doesNotMatch(bare?.text ?? '', /open it as before/);
  },
);

test('nobody fills a mailbox with links, and no account but one with a password gets any', async (t) => {
  const { service, root, ann, letters } = await withMail(t);
  const forget = (email: string) =>
    service.visitor().call('POST', '/api/forgotten-password', { email });
  // One signs in in another way, and one is disabled.
  await service.signUp('bob@example.com');
  await service.signUp('cyd@example.com');
  const of = (email: string) => service.db.updateTable('users').where('email', '=', email);
  await of('bob@example.com').set({ password_hash: NO_PASSWORD }).execute();
  await of('cyd@example.com').set({ disabled_at: 1 }).execute();
  assert.equal((await forget('bob@example.com')).status, 202);
  assert.equal((await forget('cyd@example.com')).status, 202);
  for (let times = 0; times < 4; times += 1) {
    assert.equal((await forget('ann@example.com')).status, 202);
  }
  // The fourth goes nowhere.
  await letters(3, 'ann@example.com');
  assert.equal((await forget('root@example.com')).status, 202);
  assert.equal((await letters(4, 'root@example.com')).length, 1);
  for (let times = 7; times < 20; times += 1) await forget(`eve-${times}@example.com`);
  const refused = await forget('ann@example.com');
  await assertError(refused, 429, 'rate_limited');
  assert.equal((await ann.call('GET', '/api/session')).status, 200);
  // A change of the password ends the link that someone else may have asked for.
  const change = { current: PASSWORD, next: NEXT };
  assert.equal((await ann.call('POST', '/api/account/password', change)).status, 204);
  const left = await service.db.selectFrom('account_links').select('user_id').execute();
  assert.deepEqual(
    left.map(({ user_id }) => user_id),
    [await idOf(root)],
  );
});

onBothEngines(
  'an address is changed by a link to the new one, and the old one is told',
  async (t) => {
    const { service, root, ann, letters } = await withMail(t);
    const change = (email: string, password?: string) =>
      ann.call('POST', '/api/account/email', { email, ...(password && { password }) });
    await assertError(await change('ann@new.example', 'wrong password'), 403, 'forbidden');
    await assertError(await change('ann@new.example'), 403, 'forbidden');
    await assertError(await change('Ann@Example.com', PASSWORD), 409, 'conflict');
    await assertError(await change('ann', PASSWORD), 400, 'invalid_request');

    // Of an address that has an account nothing is said but there.
    const asked = await json<EmailChange>(await change('root@example.com', PASSWORD));
    assert.deepEqual(
      [asked.pending?.email, asked.user.email],
      ['root@example.com', 'ann@example.com'],
    );
    const [taken] = await letters(2, 'root@example.com');
    assert.match(taken?.text ?? '', /another account has it\. Nothing was changed/);
    assert.equal(taken?.secret, '');

    const wanted = await json<EmailChange>(await change('Ann@New.example', PASSWORD));
    assert.equal(wanted.pending?.email, 'ann@new.example');
    const told = await letters(4, 'ann@example.com');
    assert.match(told[1]?.text ?? '', /Someone, probably you, wants ann@new\.example/);
    const [confirm] = await letters(4, 'ann@new.example');
    const { secret = '' } = confirm ?? {};
    assert.match(confirm?.text ?? '', new RegExp(`/confirm-email#${secret}$`, 'm'));
    assert.equal(
      (await ann.call('GET', '/api/session').then((r) => json<{ email: string }>(r))).email,
      'ann@example.com',
    );
    const use = (someone = service.visitor()) =>
      someone.call('POST', '/api/account-links/email', { secret });
    // Somebody may have taken the address meanwhile: the link stays.
    const rival = await service.signUp('ann@new.example');
    await assertError(await use(), 409, 'conflict');
    await root.call('POST', `/api/installation/users/${await idOf(rival)}/remove`, {});
    assert.equal((await use()).status, 204);
    await assertError(await use(), 404, 'not_found');
    const me = await json<{ email: string }>(await ann.call('GET', '/api/session'));
    assert.equal(me.email, 'ann@new.example');
    assert.match((await letters(5, 'ann@example.com'))[2]?.text ?? '', /has ann@new\.example now/);
    await json(await signIn(service.visitor(), 'ann@new.example', PASSWORD));

    await json(await change('ann@third.example', PASSWORD));
    assert.equal((await ann.call('DELETE', '/api/account/email')).status, 204);
    const none = await json<EmailChange>(await ann.call('GET', '/api/account/email'));
    assert.equal(none.pending, null);
    const { items } = await json<Page<AuditEntry>>(await root.call('GET', '/api/audit?limit=100'));
    const changes = items.filter(({ action }) => action.startsWith('account.email'));
    assert.deepEqual(
      changes.map(({ action, actor, target, details }) => [action, actor, target, details]),
      [
        ['account.email_keep', 'ann@new.example', 'ann@new.example', { to: 'ann@third.example' }],
        ['account.email_link', 'ann@new.example', 'ann@new.example', { to: 'ann@third.example' }],
        ['account.email', 'ann@example.com', 'ann@new.example', { from: 'ann@example.com' }],
        ['account.email_link', 'ann@example.com', 'ann@example.com', { to: 'ann@new.example' }],
        ['account.email_link', 'ann@example.com', 'ann@example.com', { to: 'root@example.com' }],
      ],
    );
  },
);

test('what is mailed is not shown, unless the mail server refuses it', async (t) => {
  const { server, service, root, ann, letters } = await withMail(t);
  await createProject(root, 'pets');
  const invite = async (email: string) =>
    json<CreatedInvitation>(
      await root.call('POST', '/api/projects/pets/invitations', { email, role: 'viewer' }),
      201,
    );
  const mailed = await invite('eve@example.com');
  assert.deepEqual([mailed.link, mailed.mailed, mailed.mailError], [null, true, null]);
  const [letter] = await letters(1, 'eve@example.com');
  assert.equal(letter?.subject, '=?UTF-8?Q?Join_=E2=80=9Cpets=E2=80=9D?=');
  const [, secret = ''] = /\/invitations\/([\w-]{43})$/m.exec(letter?.text ?? '') ?? [];
  await json(await service.visitor().call('GET', `/api/invitations/${secret}`));

  const path = `/api/installation/users/${await idOf(ann)}/password-link`;
  const given = await json<PasswordLink>(await root.call('POST', path), 201);
  assert.deepEqual([given.link, given.mailed], [null, true]);
  const [forAnn] = await letters(2, 'ann@example.com');
  assert.equal((await reset(service.visitor(), forAnn?.secret ?? '', NEXT)).status, 204);

  server.answers.set('RCPT', '550 no such mailbox');
  const refused = await invite('bob@example.com');
  assert.equal(refused.mailed, false);
  assert.match(refused.mailError ?? '', /The mail server: .*550 no such mailbox/);
  assert.match(refused.link ?? '', /\/invitations\/[\w-]{43}$/);
  const kept = await json<PasswordLink>(await root.call('POST', path), 201);
  assert.match(kept.link ?? '', /\/reset-password#[\w-]{43}$/);
});

onBothEngines(
  'without mail, links are handed over and addresses change by the password',
  async (t) => {
    const service = await startService(t, { signUp: 'open' });
    const root = await service.signUp('root@example.com');
    const ann = await service.signUp('ann@example.com');
    const visitor = service.visitor();
    for (const email of ['ann@example.com', 'eve@example.com']) {
      const answer = await visitor.call('POST', '/api/forgotten-password', { email });
      assert.match(await assertError(answer, 409, 'conflict'), /sends no mail\. Ask its owner/);
    }
    const made = await json<PasswordLink>(
      await root.call('POST', `/api/installation/users/${await idOf(ann)}/password-link`),
      201,
    );
    const [, secret = ''] = /\/reset-password#([\w-]{43})$/.exec(made.link ?? '') ?? [];
    assert.equal((await reset(visitor, secret, NEXT)).status, 204);
    await json(await signIn(ann, 'ann@example.com', NEXT));

    const change = (email: string, password: string) =>
      ann.call('POST', '/api/account/email', { email, password });
    await assertError(await change('ann@new.example', PASSWORD), 403, 'forbidden');
    await assertError(await change('root@example.com', NEXT), 409, 'conflict');
    const changed = await json<EmailChange>(await change('ann@new.example', NEXT));
    assert.deepEqual([changed.pending, changed.user.email], [null, 'ann@new.example']);
    await json(await signIn(visitor, 'ann@new.example', NEXT));
    // Nobody tries addresses without end.
    for (let times = 0; times < 3; times += 1) await change(`a${times}@new.example`, NEXT);
    await assertError(await change('b@new.example', NEXT), 429, 'rate_limited');
  },
);

test('the account of a first start becomes its owner’s, once', async (t) => {
  const service = await startService(t, { signUp: 'open' });
  const root = await service.signUp('owner@localhost');
  const other = service.visitor();
  await json(await signIn(other, 'owner@localhost', PASSWORD));
  const claim = (email: string, password = NEXT) =>
    root.call('POST', '/api/account/claim', { email, name: 'Ada Lovelace', password });
  await assertError(await claim('ada@example.com'), 409, 'conflict');
  await service.db.updateTable('users').set({ is_provisional: 1 }).execute();
  await service.signUp('ann@example.com');
  await assertError(await claim('ann@example.com'), 409, 'conflict');
  await assertError(await claim('ada@example.com', 'short'), 400, 'invalid_request');
  const mine = await json<Record<string, unknown>>(await claim('ada@example.com'));
  assert.deepEqual(
    [mine.email, mine.name, mine.isProvisional, mine.isInstallationOwner],
    ['ada@example.com', 'Ada Lovelace', false, true],
  );
  assert.equal((await root.call('GET', '/api/session')).status, 200);
  assert.equal((await other.call('GET', '/api/session')).status, 401);
  await assertError(await signIn(other, 'owner@localhost', PASSWORD), 401, 'unauthorized');
  await json(await signIn(other, 'ada@example.com', NEXT));
  await assertError(await claim('ada@example.org'), 409, 'conflict');
});
