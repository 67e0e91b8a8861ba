import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { pino } from 'pino';
import { OPERATOR } from '../../server/src/audit/actor.ts';
import { readConfig } from '../../server/src/config.ts';
import type { DomainEvent } from '../../server/src/domains/domain.ts';
import type { DomainPayload } from '../../server/src/notices/queue-notice.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { writeAudit } from '../../server/src/store/audit.ts';
import { settleRestored } from '../../server/src/store/backup/settle-restored.ts';
import type { Db } from '../../server/src/store/schema.ts';
import { startFollowingLogs } from '../../server/src/transparency/follow-logs.ts';
import {
  certificateOf,
  openLab,
  putCheck,
  putVerifiedDomain,
  startLabAuthority,
  until,
} from '../certificates/support/lab.ts';
import { readyProject, startDomainService, verifiedDomain } from '../domains/support/domains.ts';
import { putOwner } from '../notices/support/delivery.ts';
import { startMailServer } from '../notices/support/mail-server.ts';
import { startReceiver } from '../notices/support/receiver.ts';
import { json } from '../support/service.ts';
import { openTestDatabase, putProject } from '../support/store.ts';
import { foreignCertificate } from './support/certificates.ts';
import { type LocalLog, logListOf, startLocalLog } from './support/local-log.ts';

const DAY_MS = 24 * 3_600_000;
const HOST = 'docs.example.test';

/** Has the logs read at once, and waits until all have been read to their end. */
async function readAll(db: Db, logs: readonly LocalLog[]): Promise<void> {
  // Twice: the last entries of a static log are read once nothing follows.
  for (const _ of [1, 2]) {
    await begun(db, logs);
    await db.updateTable('ct_logs').set({ next_read_at: 0, read_at: 0 }).execute();
    await timeUntil(async () => {
      const rows = await db.selectFrom('ct_logs').select('read_at').execute();
      return rows.filter(({ read_at }) => (read_at ?? 0) > 0).length === logs.length;
    });
  }
}

/** Waits until all logs have been looked at. A look that is under way would write over when the next one is due. */
const begun = (db: Db, logs: readonly LocalLog[]) =>
  timeUntil(async () => {
    const rows = await db.selectFrom('ct_logs').select(['position', 'leased_by']).execute();
    const ended = rows.filter(({ position, leased_by }) => position !== null && leased_by === null);
    return ended.length === logs.length;
  });

onSharedEngines(
  'a certificate that nobody asked for here is told to the owners once, by timeline, e-mail and webhook',
  async (t) => {
    const logs = [await startLocalLog(t, 'static'), await startLocalLog(t, 'rfc6962')];
    const [first, second] = logs as [LocalLog, LocalLog];
    const old = await foreignCertificate([HOST]);
    for (const log of logs) log.add(old.precertificate);
    const server = await startMailServer(t);
    const receiver = await startReceiver(t);
    const service = await startDomainService(t, {
      ctLogList: await logListOf(t, logs),
      mail: { smtpUrl: server.url(), from: 'Docs <docs@example.com>' },
      webhookPrivateAddresses: 'allow',
    });
    const { db, root } = service;
    await readyProject(root, 'pets');
    await verifiedDomain(service, root, 'pets', HOST);
    const events = ['domain.certificate_unexpected'];
    const webhook = { url: receiver.url, events };
    await json(await root.call('POST', '/api/projects/pets/webhooks', webhook), 201);
    await db
      .updateTable('domains')
      .set({ verified_at: Date.now() - 30 * DAY_MS })
      .execute();
    await begun(db, logs);

    const foreign = await foreignCertificate(['www.example.test', HOST, 'shop.example.test']);
    first.add(foreign.precertificate);
    second.add(foreign.precertificate, foreign.certificate);
    await readAll(db, logs);
    const path = `/api/projects/pets/domains/${HOST}/events?limit=100`;
    const { items } = await json<Page<DomainEvent>>(await root.call('GET', path));
    const told = items.filter(({ kind }) => kind.startsWith('certificate.unexpected'));
    assert.equal(told.length, 1, JSON.stringify(items));
    const { message, details } = told[0] as DomainEvent;
    assert.match(
      message,
      /^Honest Authority H1 issued a certificate for docs\.example\.test and 2 other names that was not asked for here, valid until /,
    );
    assert.equal(details.serial, foreign.serial);
    assert.deepEqual(details.names, ['www.example.test', HOST, 'shop.example.test']);
    assert.match(String(details.log), /^Local (static|rfc6962)$/);
    assert.ok(typeof details.index === 'number');

    await timeUntil(async () =>
      server.mails.some(({ data }) =>
        data.includes(`Subject: A certificate for ${HOST} was issued elsewhere`),
      ),
    );
    const mails = server.mails.filter(({ data }) => data.includes('issued elsewhere'));
    assert.equal(mails.length, 1);
    assert.match(mails[0]?.data ?? '', /CAA/);
    await timeUntil(async () => receiver.received.length > 0);
    assert.equal(receiver.received.length, 1);
    const { type, data } = JSON.parse(receiver.received[0]?.body ?? '') as DomainPayload;
    assert.equal(type, 'domain.certificate_unexpected');
    assert.deepEqual({ ...data, project: 'pets', hostname: HOST, message: data.message }, data);
    assert.deepEqual([data.serial, data.issuer], [foreign.serial, 'Honest Authority H1']);
  },
);

/** A store with a verified domain, and logs that are followed. */
async function following(t: TestContext, db: Db, logs: readonly LocalLog[], now = Date.now) {
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => logged.push(line) });
  const config = {
    ...readConfig({ DASHBOARD_PLATFORM_HOST: 'docs.example.net' }),
    ctLogList: await logListOf(t, logs),
  };
  const start = () => {
    const runner = startFollowingLogs({ db, now, config, log, domainsChanged: () => {} });
    cleanUp(t, async () => runner?.stop());
    return runner;
  };
  const events = async () => {
    const rows = await db
      .selectFrom('domain_events')
      .select(['domain_id', 'kind', 'message'])
      .where('kind', 'like', 'certificate.%e%')
      .where('kind', 'in', ['certificate.unexpected', 'certificate.elsewhere'])
      .orderBy('id')
      .execute();
    return rows.map(({ domain_id, kind, message }) => ({ domain: domain_id, kind, message }));
  };
  const notices = async () => {
    const rows = await db.selectFrom('notices').selectAll().orderBy('created_at').execute();
    return rows
      .filter(({ type }) => type === 'domain.certificate_unexpected')
      .map((row) => ({ ...row, data: (JSON.parse(row.payload) as DomainPayload).data }));
  };
  return { start, events, notices, logged };
}

test('what the dashboard asked for itself is told to nobody, and neither is what has ended', async (t) => {
  const lab = await openLab(t);
  const { db } = lab;
  await putOwner(db, 'ann@example.com');
  const id = await putVerifiedDomain(db, HOST, Date.now() - 30 * DAY_MS);
  await putCheck(db, id, {} as never);
  const authority = await startLabAuthority(t, lab, { isPrompt: true });
  const log = await startLocalLog(t, 'rfc6962');
  const { start, events } = await following(t, db, [log]);
  start();
  await begun(db, [log]);
  lab.issuer(authority);
  const { chain } = await until(() => certificateOf(db, id), 'the certificate');
  const own = new X509Certificate(chain).raw;
  // Its row may be gone by the time the log shows it: the next certificate has replaced it.
  await db.deleteFrom('certificates').execute();
  const ended = await foreignCertificate([HOST], { notBefore: Date.now() - 91 * DAY_MS });
  const marker = await foreignCertificate([HOST]);
  log.add({ kind: 'x509', der: own }, ended.certificate, marker.certificate);
  await readAll(db, [log]);
  const told = await events();
  assert.equal(told.length, 1, JSON.stringify(told));
  assert.match(told[0]?.message ?? '', new RegExp(marker.serial));
});

test('who is told follows from where the name leads and since when', async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'petstore', 'pro');
  await putOwner(db, 'ann@example.com');
  const put = async (hostname: string, days: number, pointsHere = true) => {
    const id = await putVerifiedDomain(db, hostname, Date.now() - days * DAY_MS);
    await putCheck(db, id, {} as never);
    await db
      .updateTable('domain_checks')
      .set({ points_here: pointsHere ? 1 : 0 })
      .where('domain_id', '=', id)
      .execute();
    return id;
  };
  const settled = await put('docs.example.test', 30);
  const recent = await put('new.example.test', 2);
  const prepared = await put('prepared.other.test', 30, false);
  const away = await put('away.other.test', 30);
  const unproven = await put('unproven.other.test', 30);
  const change = (id: string, row: object) =>
    db.updateTable('domains').set(row).where('id', '=', id).execute();
  await change(away, { moved_away_at: Date.now() });
  await change(unproven, { verified_at: null, holds: 0 });
  const log = await startLocalLog(t, 'static');
  log.add((await foreignCertificate(['filler.test'])).certificate);
  const { start, events, notices, logged } = await following(t, db, [log]);
  start();
  await begun(db, [log]);

  const issuer = { issuer: 'O=Cloud, CN=C1' };
  const add = async (...names: string[]) =>
    log.add((await foreignCertificate(names, issuer)).precertificate);
  await add('docs.example.test');
  await add('new.example.test');
  await add('prepared.other.test', 'away.other.test', 'unproven.other.test');
  await add('*.example.test');
  await add('*.example.test');
  await add('pets.docs.example.net');
  log.add((await foreignCertificate([HOST], { notBefore: Date.now() - 40 * DAY_MS })).certificate);
  await readAll(db, [log]);
  const told = await events();
  const of = (id: string) =>
    told
      .filter(({ domain }) => domain === id)
      .map(({ kind, message }) => `${kind} ${/expected: (.*)\.$/.exec(message)?.[1] ?? ''}`);
  assert.deepEqual(of(settled), [
    'certificate.unexpected ',
    'certificate.elsewhere it is a wildcard for the names beside this one, as the ones before it were',
    'certificate.elsewhere it is a wildcard for the names beside this one, as the ones before it were',
    'certificate.elsewhere it is older than the day on which the name came here',
  ]);
  const few =
    'certificate.elsewhere the name came here only a few days ago, and its former host may still have had one';
  assert.match(of(recent).join('\n'), /^certificate\.elsewhere /);
  assert.ok(of(recent).includes(few) || of(recent).length === 3, of(recent).join('\n'));
  assert.deepEqual(of(prepared), ['certificate.elsewhere the DNS of the name leads elsewhere']);
  assert.deepEqual(of(away), ['certificate.elsewhere the DNS of the name leads elsewhere']);
  assert.deepEqual(of(unproven), []);
  const sent = await notices();
  assert.deepEqual(
    sent.map(({ email, data }) => [email, data.hostname]),
    [['ann@example.com', 'docs.example.test']],
  );
  const platform = logged.filter((line) => line.includes('a name of the platform'));
  assert.equal(platform.length, 1);
  assert.match(platform[0] ?? '', /"hostname":"\*\.docs\.example\.net"/);
});

onSharedEngines(
  'a certificate that the dashboard may have asked for after a backup that was put back is shown alone',
  async (t) => {
    const { db } = await openTestDatabase(t);
    await putProject(db, 'petstore', 'pro');
    await putOwner(db, 'ann@example.com');
    const daysAgo = (days: number) => Date.now() - days * DAY_MS;
    const id = await putVerifiedDomain(db, HOST, daysAgo(90));
    await putCheck(db, id, {} as never);
    const log = await startLocalLog(t, 'rfc6962');
    const { start, events, notices } = await following(t, db, [log]);
    start();
    await begun(db, [log]);
    const change = { action: 'domain.add', target: HOST } as const;
    await db.transaction().execute((trx) => writeAudit(trx, daysAgo(20), OPERATOR, change));
    const restored = { now: daysAgo(5), actor: OPERATOR, target: 'a backup', details: {} };
    await settleRestored(db, restored);
    for (const notBefore of [daysAgo(25), daysAgo(10), daysAgo(2)])
      log.add((await foreignCertificate([HOST], { notBefore })).certificate);
    await readAll(db, [log]);
    const told = await events();
    assert.deepEqual(
      told.map(({ kind }) => kind),
      ['certificate.unexpected', 'certificate.elsewhere', 'certificate.unexpected'],
    );
    assert.match(told[1]?.message ?? '', /asked for it after a backup that was put back since\.$/);
    assert.equal((await notices()).length, 2);
  },
);

test('a wildcard is told once for each issuer, and after that shown alone', async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'petstore', 'pro');
  await putOwner(db, 'ann@example.com');
  const id = await putVerifiedDomain(db, HOST, Date.now() - 30 * DAY_MS);
  await putCheck(db, id, {} as never);
  const log = await startLocalLog(t, 'rfc6962');
  const { start, events } = await following(t, db, [log]);
  start();
  await begun(db, [log]);
  for (const issuer of ['CN=One', 'CN=Two', 'CN=One'])
    log.add((await foreignCertificate(['*.example.test'], { issuer })).certificate);
  await readAll(db, [log]);
  const told = (await events()).map(({ kind }) => kind);
  assert.deepEqual(told, [
    'certificate.unexpected',
    'certificate.unexpected',
    'certificate.elsewhere',
  ]);
});

onSharedEngines(
  'two processes read each log once, and a log that is away or lies keeps none of the others',
  async (t) => {
    const { db } = await openTestDatabase(t);
    await putProject(db, 'petstore', 'pro');
    await putOwner(db, 'ann@example.com');
    const id = await putVerifiedDomain(db, HOST, Date.now() - 30 * DAY_MS);
    await putCheck(db, id, {} as never);
    const logs = [
      await startLocalLog(t, 'static'),
      await startLocalLog(t, 'rfc6962'),
      await startLocalLog(t, 'rfc6962'),
    ];
    const [good, lying, away] = logs as [LocalLog, LocalLog, LocalLog];
    const other = (await foreignCertificate(['other.test'])).certificate;
    for (const log of logs) log.add(other, other, other);
    // The clock stands still: nothing is read but when it is said to be due.
    const now = Date.now();
    const { start, events, logged } = await following(t, db, logs, () => now);
    start();
    start();
    await begun(db, logs);
    away.refuse(/./, 429, { 'retry-after': '1800' });
    lying.forget(2);
    lying.add((await foreignCertificate([HOST])).certificate, other, other);
    for (let at = 0; at < 5; at++) good.add((await foreignCertificate([HOST])).certificate);
    good.asked.length = 0;
    await db.updateTable('ct_logs').set({ next_read_at: 0, read_at: 0 }).execute();
    const rows = () => db.selectFrom('ct_logs').selectAll().execute();
    await timeUntil(
      async () => (await rows()).filter(({ problem }) => problem !== null).length === 2,
    );
    await timeUntil(async () => (await rows()).some(({ read_at }) => (read_at ?? 0) > 0));
    await db.updateTable('ct_logs').set({ next_read_at: 0 }).where('failures', '=', 0).execute();
    await timeUntil(async () => (await events()).length >= 5);
    assert.equal((await events()).length, 5, 'each once');
    const heads = good.asked.filter((path) => path === 'checkpoint');
    assert.equal(heads.length, 2, 'one process at a time');
    const alarm = logged.find((line) => line.includes('SHOWS A SPLIT VIEW')) ?? '';
    const { level, heads: evidence } = JSON.parse(alarm);
    assert.equal(level, 50);
    assert.equal(evidence.length, 2);
    assert.match(evidence[1], /tree_head_signature/);
    const problems = (await rows()).filter(({ problem }) => problem !== null);
    const [limited] = problems.filter(({ problem }) => problem?.includes('429'));
    assert.ok((limited?.next_read_at ?? 0) > now + 1_700_000, 'as its Retry-After says');
    const [split] = problems.filter(({ problem }) => problem?.includes('not the beginning'));
    assert.ok((split?.next_read_at ?? 0) > now + 50_000);
    assert.equal(split?.leased_by, null);
  },
);
