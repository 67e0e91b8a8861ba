import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { POSTGRESQL } from '@petstore/test-support/engines.ts';
import { sql } from 'kysely';
import type { AuthenticatorAppDraft } from '../../server/src/accounts/factors/factor.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import { until } from '../notices/support/delivery.ts';
import { type MailServer, startMailServer } from '../notices/support/mail-server.ts';
import { assertError, json, type Service, startService, type Visitor } from '../support/service.ts';
import { UP_TO_DATE } from '../support/store.ts';
import { addApp, codeOf, factorsOf, statusOf, withPassword, wrongCode } from './support/factors.ts';

// What happens to sign-ins with codes where a transaction is undone: by an error, or by PostgreSQL, which has it retried.

const ROOT = 'root@example.com';
const ANN = 'ann@example.com';
const STEP_MS = 30_000;
const mailBy = (mail: MailServer) => ({ smtpUrl: mail.url(), from: 'Docs <docs@example.com>' });

const finish = (visitor: Visitor, way: string, code: string, headers = {}) =>
  visitor.call('POST', `/api/session/second-factor/${way}`, { code }, headers);

/** Each statement of a kind fails meanwhile, on SQLite. `when`: what it does, and of which rows. */
async function whileFailing({ db }: Service, when: string, work: () => Promise<void>) {
  const trigger = `CREATE TRIGGER ends BEFORE ${when} BEGIN SELECT RAISE(ABORT, 'ended'); END`;
  await sql.raw(trigger).execute(db);
  await work();
  await sql`DROP TRIGGER ends`.execute(db);
}

/** PostgreSQL undoes the next transaction that begins a session, once: a sequence is not undone with it. */
async function undoNextSession({ db }: Service) {
  await sql`CREATE SEQUENCE once`.execute(db);
  await sql`
    CREATE FUNCTION undo_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('once') = 1 THEN RAISE 'undone' USING ERRCODE = '40001'; END IF;
      RETURN NEW;
    END $$`.execute(db);
  await sql`CREATE TRIGGER undone BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION undo_once()`.execute(
    db,
  );
  return async () => {
    const { rows } = await sql<{ times: number }>`SELECT last_value AS times FROM once`.execute(db);
    return rows[0]?.times;
  };
}

/** The count of the wrong codes of all accounts. */
async function wrongCodes({ db }: Service, proof: string): Promise<number | undefined> {
  const counters = db.selectFrom('sign_in_failures').select('count');
  return (await counters.where('key', 'like', `${proof}:%`).executeTakeFirst())?.count;
}

test('that codes are guessed is told though the first refusal failed', async (t) => {
  const mail = await startMailServer(t);
  const service = await startService(t, {
    trustedProxies: ['127.0.0.1'],
    mail: mailBy(mail),
  });
  const root = await service.signUp(ROOT);
  const { secret } = await addApp(root, Date.now());
  const wrong = wrongCode(secret, Date.now());
  const guess = async (at: number) => {
    const headers = { 'x-forwarded-for': `10.0.${at}.1` };
    return finish(await withPassword(service, ROOT, { headers }), 'code', wrong, headers);
  };
  for (let at = 0; at < 10; at++) assert.equal((await guess(at)).status, 401);
  const telling = "INSERT ON audit_log WHEN NEW.action = 'factor.guessing'";
  await whileFailing(service, telling, async () => {
    assert.equal((await guess(10)).status, 500);
  });
  for (const at of [11, 12]) await assertError(await guess(at), 429, 'rate_limited');
  assert.notEqual((await factorsOf(root)).guessedAt, null);
  const { items } = await json<{ items: AuditEntry[] }>(await root.call('GET', '/api/audit'));
  assert.equal(items.filter(({ action }) => action === 'factor.guessing').length, 1);
  assert.equal(await wrongCodes(service, 'code'), 12);
  await until(async () => mail.mails.length === 2, 'the letters came');
  assert.equal(mail.mails.filter(({ data }) => /tries codes/.test(data)).length, 1);
});

test('a code whose sign-in failed is not used up', async (t) => {
  let clock = Date.now();
  const mail = await startMailServer(t);
  const service = await startService(t, { mail: mailBy(mail) }, { now: () => clock });
  const root = await service.signUp(ROOT);
  const { secret, recoveryCodes } = await addApp(root, clock);
  clock += STEP_MS;
  for (const [way, code] of [
    ['recovery-code', recoveryCodes?.[0] ?? ''],
    ['code', codeOf(secret, clock)],
  ] as const) {
    const half = await withPassword(service, ROOT);
    const counting = "DELETE ON sign_in_failures WHEN OLD.key LIKE '%code-pair:%'";
    await whileFailing(service, counting, async () => {
      assert.equal((await finish(half, way, code)).status, 500);
    });
    assert.equal(await statusOf(half), 401);
    await json(await finish(half, way, code));
    assert.equal(await statusOf(half), 200);
  }
  assert.equal((await factorsOf(root)).recoveryCodes?.left, 9);
  await until(async () => mail.mails.length === 2, 'the letters came');
  assert.equal(mail.mails.filter(({ data }) => /recovery code was used/.test(data)).length, 1);
});

test('the recovery codes that are shown are those of the transaction that was kept', async (t) => {
  const clock = Date.now();
  const databaseUrl = await POSTGRESQL.createDatabase(t, UP_TO_DATE);
  const service = await startService(t, { databaseUrl, signUp: 'open' }, { now: () => clock });
  const root = await service.signUp(ROOT);
  await service.signUp(ANN);
  await addApp(root, clock);
  const policy = { secondFactor: 'everyone', afterProvider: false };
  await json(await root.call('PUT', '/api/installation/security', policy));

  const half = await withPassword(service, ANN);
  const APP = '/api/session/set-up/authenticator-app';
  const drafted = await half.call('POST', `${APP}/draft`);
  const { secret, draft } = await json<AuthenticatorAppDraft>(drafted);
  const timesBegun = await undoNextSession(service);
  const set = await half.call('POST', APP, { draft, code: codeOf(secret, clock) });
  const { recoveryCodes } = await json<{ recoveryCodes: string[] }>(set);
  assert.equal(await timesBegun(), 2);
  await json(
    await finish(await withPassword(service, ANN), 'recovery-code', recoveryCodes[0] ?? ''),
  );
});

test('a right code is counted once though its transaction is retried', async (t) => {
  const clock = Date.now();
  const databaseUrl = await POSTGRESQL.createDatabase(t, UP_TO_DATE);
  const service = await startService(t, { databaseUrl }, { now: () => clock });
  const root = await service.signUp(ROOT);
  const { recoveryCodes } = await addApp(root, clock);
  const half = await withPassword(service, ROOT);
  for (const wrong of ['a', 'b']) {
    await assertError(await finish(half, 'recovery-code', wrong), 401, 'unauthorized');
  }
  const timesBegun = await undoNextSession(service);
  await json(await finish(half, 'recovery-code', recoveryCodes?.[0] ?? ''));
  assert.equal(await timesBegun(), 2);
  assert.equal(await wrongCodes(service, 'recovery_code'), 2);
});
