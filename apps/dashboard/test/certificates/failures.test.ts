import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { CertificateAuthorityOptions } from '@petstore/lab/certificate-authority/certificate-authority.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { openAcmeAccounts } from '../../server/src/certificates/account.ts';
import { parseProblem } from '../../server/src/certificates/problem.ts';
import { budgetOf } from '../../server/src/certificates/rate-limits.ts';
import {
  cancelIssuance,
  ensureCertificate,
} from '../../server/src/certificates/request-certificate.ts';
import { presentIssuance } from '../../server/src/domains/present-domain.ts';
import { findAcmeAccount } from '../../server/src/store/acme-accounts.ts';
import { clock } from './support/clock.ts';
import {
  acmeConfig,
  certificateOf,
  eventsOf,
  HOST,
  holdFirst,
  issuanceOf,
  type Lab,
  openLab,
  putVerifiedDomain,
  SEALER,
  startLabAuthority,
  until,
  witness,
} from './support/lab.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The issuance once it has failed so often and was given back. */
function failed(lab: Lab, id: string, failures = 1) {
  return until(async () => {
    const row = await issuanceOf(lab.db, id);
    return row && row.failures >= failures && row.leased_by === null && row;
  }, `failure ${failures}`);
}

async function setUp(t: TestContext, options: Partial<CertificateAuthorityOptions> = {}) {
  const time = clock();
  const lab = await openLab(t);
  const authority = await startLabAuthority(t, lab, {
    now: time.now,
    isPrompt: true,
    ...options,
  });
  return { lab, authority, time };
}

const failedOrders = (lab: Lab) =>
  lab.db.selectFrom('acme_orders').selectAll().where('state', '=', 'failed').execute();

const verifyAgain = (lab: Lab, id: string, at: number) =>
  lab.db.transaction().execute((trx) => ensureCertificate(trx, { id, hostname: HOST }, at));

test('where port 80 is out of reach, the other challenge is tried at once', async (t) => {
  const { lab, authority } = await setUp(t);
  authority.injectFault({ at: 'validation', challenge: 'http-01', type: 'connection' });
  const id = await putVerifiedDomain(lab.db);
  lab.issuer(authority);
  await until(() => certificateOf(lab.db, id), 'the certificate');
  assert.equal(authority.counts.newOrder, 2);
  assert.ok(lab.host.looked.includes(`tls ${HOST}`));
  const failures = (await eventsOf(lab.db, id)).filter(({ kind }) => kind === 'certificate.failed');
  assert.equal(failures.length, 1);
  assert.match(failures[0]?.message ?? '', /could not connect to docs\.example\.test on port 80/);
});

test('what an authority will never issue is asked for once, and said to be given up', async (t) => {
  const { lab, authority, time } = await setUp(t);
  authority.injectFault({ at: 'newOrder', type: 'rejectedIdentifier', detail: 'on the blocklist' });
  const id = await putVerifiedDomain(lab.db);
  const issuer = lab.issuer(authority, { now: time.now });
  const row = await failed(lab, id);
  assert.equal(row.next_attempt_at, null);
  authority.clearFaults();
  time.forward(40 * 24 * HOUR_MS);
  await witness(lab, issuer, time.now());
  assert.equal(authority.counts.newOrder, 2, 'with that of the witness');
  const event = (await eventsOf(lab.db, id)).at(-1);
  assert.equal(event?.kind, 'certificate.failed');
  assert.match(event?.message ?? '', /no more attempts: .*does not issue certificates/);
  assert.equal(JSON.parse(event?.details ?? '').detail, 'on the blocklist');

  await verifyAgain(lab, id, time.now());
  issuer.wake();
  await until(() => certificateOf(lab.db, id), 'a certificate once it is verified anew');
});

test('a CAA record that forbids it ends the attempts, until the name is verified without', async (t) => {
  const { lab, authority, time } = await setUp(t);
  const zone = lab.nameServer.zone('example.test');
  zone.setRecords('example.test', 'CAA', ['0 issue "other.test"']);
  const id = await putVerifiedDomain(lab.db);
  const issuer = lab.issuer(authority, { now: time.now });
  const row = await failed(lab, id);
  assert.equal(row.next_attempt_at, null);
  assert.equal(parseProblem(row.last_problem)?.type, 'caa');
  zone.removeRecords('example.test', 'CAA');
  time.forward(61 * MINUTE_MS);
  await verifyAgain(lab, id, time.now());
  issuer.wake();
  await until(() => certificateOf(lab.db, id), 'the certificate');
});

test('where CAA records allow one challenge alone, a check after the failure of another brings the certificate', async (t) => {
  const { lab, authority, time } = await setUp(t);
  const only = '0 issue "ca.lab.test; validationmethods=tls-alpn-01"';
  lab.nameServer.zone('example.test').setRecords('example.test', 'CAA', [only]);
  authority.injectFault({ at: 'validation', challenge: 'http-01', type: 'caa' });
  const id = await putVerifiedDomain(lab.db);
  const issuer = lab.issuer(authority, { now: time.now });
  assert.equal((await failed(lab, id)).next_attempt_at, null);
  await verifyAgain(lab, id, time.now());
  issuer.wake();
  await until(() => certificateOf(lab.db, id), 'the certificate');
  assert.ok(lab.host.looked.includes(`tls ${HOST}`));
  assert.equal(authority.counts.newOrder, 2);
});

test('however often Verify is clicked, four orders for a name fail within an hour at most', async (t) => {
  const { lab, authority, time } = await setUp(t);
  authority.injectFault({ at: 'validation', type: 'unauthorized' });
  const id = await putVerifiedDomain(lab.db);
  const issuer = lab.issuer(authority, { now: time.now });
  const begin = time.now();
  let attempts = 0;
  while (time.now() < begin + 3 * HOUR_MS) {
    const row = await failed(lab, id, attempts + 1);
    attempts = row.failures;
    await verifyAgain(lab, id, time.now());
    const hastened = await issuanceOf(lab.db, id);
    assert.ok(hastened?.next_attempt_at, 'it is tried again');
    const { limit, left, nextSafeAt } = await budgetOf(lab.db, row.directory_url, HOST, time.now());
    assert.equal(limit, 4);
    if (left === 0) assert.ok(hastened.next_attempt_at >= nextSafeAt);
    time.to(hastened.next_attempt_at + MINUTE_MS);
    issuer.wake();
  }
  const times = (await failedOrders(lab)).map(({ ended_at }) => Number(ended_at));
  assert.ok(times.length >= 8, `${times.length} attempts in three hours`);
  for (const at of times) {
    const within = times.filter((other) => other > at - HOUR_MS && other <= at);
    assert.ok(within.length <= 4, `${within.length} failed orders in an hour`);
  }
  assert.equal(authority.ordersByStatus().pending, 0);
});

test('after a failure the staging directory is tried first, and only then the other', async (t) => {
  const time = clock();
  const lab = await openLab(t);
  const production = await startLabAuthority(t, lab, { now: time.now });
  const staging = await startLabAuthority(t, lab, { now: time.now });
  production.injectFault({ at: 'validation', type: 'unauthorized', times: 1 });
  staging.injectFault({ at: 'validation', type: 'unauthorized', times: 1 });
  const caFile = join(await temporaryFolder(t), 'both.pem');
  const roots = await Promise.all([production, staging].map((one) => readFile(one.caFile, 'utf8')));
  await writeFile(caFile, roots.join('\n'));
  const id = await putVerifiedDomain(lab.db);
  const acme = { stagingDirectoryUrl: staging.directoryUrl, caFile };
  const issuer = lab.issuer(production, { now: time.now, acme });

  const first = await failed(lab, id);
  assert.equal(first.directory_url, staging.directoryUrl);
  assert.equal(production.counts.newOrder, 1);
  time.forward(2 * MINUTE_MS);
  issuer.wake();
  await failed(lab, id, 2);
  assert.equal(staging.counts.newOrder, 1);
  assert.equal(production.counts.newOrder, 1, 'a failure there costs nothing here');
  time.forward(10 * MINUTE_MS);
  issuer.wake();
  const { chain } = await until(() => certificateOf(lab.db, id), 'the certificate');
  assert.equal(staging.counts.newOrder, 2);
  assert.equal(production.counts.newOrder, 2);
  assert.equal(production.issued, 1);
  assert.ok(chain.length > 0);
});

test("an authority's Retry-After is kept to, and one without end is not", async (t) => {
  const { lab, authority, time } = await setUp(t);
  authority.injectFault({ at: 'newOrder', type: 'rateLimited', retryAfter: '7200', times: 1 });
  const id = await putVerifiedDomain(lab.db);
  const issuer = lab.issuer(authority, { now: time.now });
  const row = await failed(lab, id);
  const wait = (row.next_attempt_at ?? 0) - time.now();
  assert.ok(wait > 7_100_000 && wait <= 7_200_000, `${wait} ms`);
  await verifyAgain(lab, id, time.now());
  assert.equal((await issuanceOf(lab.db, id))?.next_attempt_at, row.next_attempt_at);

  authority.injectFault({ at: 'newOrder', type: 'rateLimited', retryAfter: '999999999' });
  time.forward(wait + 1_000);
  issuer.wake();
  const again = await failed(lab, id, 2);
  const longest = (again.next_attempt_at ?? 0) - time.now();
  assert.ok(longest <= 7 * 24 * HOUR_MS, `${longest} ms`);
  assert.deepEqual(await failedOrders(lab), []);
});

test('an account that the authority has lost is made anew', async (t) => {
  const { lab, authority, time } = await setUp(t);
  const id = await putVerifiedDomain(lab.db);
  const issuer = lab.issuer(authority, { now: time.now });
  await until(() => certificateOf(lab.db, id), 'the first certificate');
  authority.forgetAccounts();
  const other = await putVerifiedDomain(lab.db, 'api.example.test');
  issuer.wake();
  await until(() => certificateOf(lab.db, other), 'the second certificate');
  assert.equal((await lab.db.selectFrom('acme_accounts').selectAll().execute()).length, 1);
});

test('of several processes that find a lost account, none replaces the one that the first has made', async (t) => {
  const { lab, authority, time } = await setUp(t);
  const open = () => {
    const config = { acme: acmeConfig(authority) };
    const deps = { db: lab.db, now: time.now, log: lab.log, sealer: SEALER, config };
    const accounts = openAcmeAccounts(deps, t.signal);
    cleanUp(t, accounts.close);
    return accounts;
  };
  const url = authority.directoryUrl;
  const [first, second] = [open(), open()];
  await Promise.all([first.at(url), second.at(url)]);
  authority.forgetAccounts();
  assert.equal(await first.replaceIfClosed(url), true);
  await first.at(url);
  const made = await findAcmeAccount(lab.db, url);
  assert.ok(made?.account_url);
  assert.equal(await second.replaceIfClosed(url), true, 'its own is lost, too');
  assert.equal(await first.replaceIfClosed(url), false, 'an earlier request of the first fails');
  await second.at(url);
  assert.deepEqual(await findAcmeAccount(lab.db, url), made);
});

test('an account that cannot be asked about for now is not replaced', async (t) => {
  const { lab, authority, time } = await setUp(t);
  const config = { acme: acmeConfig(authority) };
  const deps = { db: lab.db, now: time.now, log: lab.log, sealer: SEALER, config };
  const accounts = openAcmeAccounts(deps, t.signal);
  cleanUp(t, accounts.close);
  const url = authority.directoryUrl;
  await accounts.at(url);
  const made = await findAcmeAccount(lab.db, url);
  for (const type of ['rateLimited', 'serverInternal'] as const) {
    authority.injectFault({ at: 'account', type });
    await assert.rejects(accounts.replaceIfClosed(url), { name: 'ProblemError' });
    authority.clearFaults();
  }
  assert.deepEqual(await findAcmeAccount(lab.db, url), made);
  assert.equal(await accounts.replaceIfClosed(url), false);
});

test('an outage in the middle of an order costs no second one', async (t) => {
  const { lab, authority, time } = await setUp(t);
  authority.injectFault({ at: 'finalize', type: 'serverInternal' });
  const id = await putVerifiedDomain(lab.db);
  const issuer = lab.issuer(authority, { now: time.now });
  const row = await failed(lab, id);
  assert.equal(row.step, 'finalize');
  assert.ok(row.order_url);
  authority.clearFaults();
  time.forward(2 * MINUTE_MS);
  issuer.wake();
  await until(() => certificateOf(lab.db, id), 'the certificate');
  assert.equal(authority.counts.newOrder, 1);
  assert.deepEqual(await failedOrders(lab), []);
});

for (const call of ['newOrder', 'challenge', 'finalize', 'certificate'] as const)
  test(`a domain that is removed at ${call} gets no certificate, and its order is given up`, async (t) => {
    const { onCall, release } = holdFirst(call);
    const { lab, authority, time } = await setUp(t, { onCall });
    const id = await putVerifiedDomain(lab.db);
    lab.issuer(authority, { now: time.now });
    await until(async () => authority.counts[call] > 0, call);
    await lab.db.transaction().execute(async (trx) => {
      await trx
        .updateTable('domains')
        .set({ removed_at: time.now() })
        .where('id', '=', id)
        .execute();
      await cancelIssuance(trx, { id }, time.now());
    });
    release();
    await until(async () => !(await issuanceOf(lab.db, id)), 'the end of the issuance');
    const isOpen = () => authority.ordersByStatus().pending + authority.ordersByStatus().ready > 0;
    await until(async () => authority.counts.newOrder > 0 && !isOpen(), 'the end of the order');
    assert.equal(await certificateOf(lab.db, id), undefined);
    assert.deepEqual(lab.changed, []);
  });

test('what is shown of a failure says what it means, when the next attempt is, and no key', async (t) => {
  const { lab, authority, time } = await setUp(t);
  authority.injectFault({ at: 'validation', type: 'dns', detail: 'SERVFAIL looking up A' });
  const id = await putVerifiedDomain(lab.db);
  lab.issuer(authority, { now: time.now });
  const row = await failed(lab, id);
  const at = time.now();
  const state = { db: lab.db, acme: acmeConfig(authority) };
  const shown = await presentIssuance(row, { ...state, now: at });
  assert.equal(shown.problem?.type, 'dns');
  assert.equal(shown.problem?.detail, 'SERVFAIL looking up A');
  assert.match(
    shown.problem?.explanation ?? '',
    /could not look up docs\.example\.test in the DNS/,
  );
  assert.equal(shown.budget.left, 3);
  assert.equal(shown.isOverdue, false);
  const later = await presentIssuance(row, { ...state, now: at + 31 * MINUTE_MS });
  assert.equal(later.isOverdue, true);
  assert.doesNotMatch(JSON.stringify(shown), /v1\.|KEY/);
});

test('an authority that is not trusted is not talked to, and costs no order', async (t) => {
  const { lab, authority, time } = await setUp(t);
  const id = await putVerifiedDomain(lab.db);
  lab.issuer(authority, { now: time.now, acme: { caFile: undefined } });
  const row = await failed(lab, id);
  const problem = parseProblem(row.last_problem);
  assert.equal(problem?.type, 'unreachable');
  assert.match(problem?.detail ?? '', /127\.0\.0\.1:\d+ cannot be reached: .*certificate/);
  const wait = (row.next_attempt_at ?? 0) - time.now();
  assert.ok(wait > 50_000 && wait < 70_000, `${wait} ms`);
  assert.deepEqual(await failedOrders(lab), []);
  assert.equal(authority.counts.directory, 0);
});

test('ACME_CA_FILE that cannot be read stops the start, and says which it is', async (t) => {
  const { lab, authority } = await setUp(t);
  assert.throws(() => lab.issuer(authority, { acme: { caFile: '/nowhere/root.pem' } }), {
    name: 'UserError',
    message: /ACME_CA_FILE cannot be read: .*\/nowhere\/root\.pem/,
  });
  const folder = await temporaryFolder(t);
  const [begin, end] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----'];
  for (const [name, text] of [
    ['empty.pem', ''],
    ['key.pem', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
    ['damaged.pem', `${begin}\nAAAA\n${end}\n`],
  ] as const) {
    const caFile = join(folder, name);
    await writeFile(caFile, text);
    assert.throws(() => lab.issuer(authority, { acme: { caFile } }), {
      name: 'UserError',
      message: `ACME_CA_FILE has no certificate in PEM: ${caFile}`,
    });
  }
});

test('what failed for a month is given up, which is said, and verifying it begins anew', async (t) => {
  const { lab, authority, time } = await setUp(t);
  authority.injectFault({ at: 'validation', type: 'dns' });
  const id = await putVerifiedDomain(lab.db);
  const issuer = lab.issuer(authority, { now: time.now });
  const row = await failed(lab, id);
  assert.ok(row.next_attempt_at);
  time.forward(31 * 24 * HOUR_MS);
  issuer.wake();
  assert.equal((await failed(lab, id, 2)).next_attempt_at, null);
  const event = (await eventsOf(lab.db, id)).at(-1);
  assert.match(event?.message ?? '', /no more attempts/);
  authority.clearFaults();
  await verifyAgain(lab, id, time.now());
  issuer.wake();
  await until(() => certificateOf(lab.db, id), 'the certificate');
});
