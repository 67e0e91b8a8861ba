import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { CertificateAuthorityOptions } from '@petstore/lab/certificate-authority/certificate-authority.ts';
import type { Call } from '@petstore/lab/certificate-authority/faults.ts';
import { authorityName } from '../../server/src/certificates/authorities.ts';
import { ensureCertificate } from '../../server/src/certificates/request-certificate.ts';
import type { AcmeConfig, AuthorityConfig } from '../../server/src/config-acme.ts';
import { presentIssuance } from '../../server/src/domains/present-domain.ts';
import { clock } from './support/clock.ts';
import {
  acmeOf,
  certificateOf,
  eventsOf,
  HOST,
  issuanceOf,
  type Lab,
  onBothAuthorities,
  openLab,
  putCheck,
  putVerifiedDomain,
  renewalTold,
  startLabAuthority,
  until,
} from './support/lab.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

interface Settings {
  readonly options?: readonly Partial<CertificateAuthorityOptions>[];
  readonly configs?: readonly Partial<AuthorityConfig>[];
}

/** Authorities in order, and an issuer that knows all of them. */
async function setUp(t: TestContext, { options = [{}, {}], configs = [] }: Settings = {}) {
  const time = clock();
  const lab = await openLab(t);
  const authorities = [];
  for (const more of options) {
    authorities.push(await startLabAuthority(t, lab, { now: time.now, isPrompt: true, ...more }));
  }
  const [first, second] = authorities;
  assert.ok(first && second);
  const acme = await acmeOf(t, authorities, configs);
  const start = () => lab.issuer(first, { now: time.now, acme });
  return { lab, time, acme, first, second, authorities, start };
}

const issued = (lab: Lab, id: string) => until(() => certificateOf(lab.db, id), 'the certificate');

const failures = async (lab: Lab, id: string) =>
  (await eventsOf(lab.db, id)).filter(({ kind }) => kind === 'certificate.failed');

const shown = async (lab: Lab, id: string, acme: AcmeConfig, now: number) => {
  const row = await issuanceOf(lab.db, id);
  assert.ok(row);
  return presentIssuance(row, { db: lab.db, acme, now });
};

test('where the first authority has an outage, the next one issues at once, and both are named', async (t) => {
  const { lab, first, second, start } = await setUp(t);
  first.injectFault({ at: 'newOrder', type: 'serverInternal', detail: 'down for maintenance' });
  const id = await putVerifiedDomain(lab.db);
  start();
  const certificate = await issued(lab, id);
  assert.equal(certificate.directory_url, second.directoryUrl);
  assert.deepEqual([first.issued, second.issued], [0, 1]);
  const [failed, ...more] = await failures(lab, id);
  assert.deepEqual(more, []);
  const [from, next] = [first, second].map(({ directoryUrl }) => authorityName(directoryUrl));
  assert.ok(
    failed?.message.startsWith(`An attempt at a certificate for ${HOST} from ${from} failed`),
  );
  assert.ok(failed?.message.endsWith(`${next} is asked next.`));
  const accounts = await lab.db.selectFrom('acme_accounts').selectAll().execute();
  const urls = accounts.map(({ directory_url }) => directory_url).toSorted();
  assert.deepEqual(urls, [first.directoryUrl, second.directoryUrl].toSorted());
  assert.equal(new Set(accounts.map(({ sealed_key }) => sealed_key)).size, 2, 'a key for each');
});

test('other names go to the next authority without a try, until the pause is over', async (t) => {
  const { lab, time, first, second, acme, start } = await setUp(t);
  first.injectFault({ at: 'newOrder', type: 'serverInternal' });
  const issuer = start();
  await issued(lab, await putVerifiedDomain(lab.db, HOST, time.now()));
  const asked = first.counts.newOrder;
  const other = await putVerifiedDomain(lab.db, 'b.example.test', time.now());
  const { tried, authority } = await shown(lab, other, acme, time.now());
  assert.equal(authority, authorityName(first.directoryUrl), 'not begun yet');
  assert.deepEqual(tried, []);
  issuer.wake();
  await issued(lab, other);
  assert.equal(first.counts.newOrder, asked, 'not asked for the other name');
  first.clearFaults();
  time.forward(6 * MINUTE_MS);
  const third = await putVerifiedDomain(lab.db, 'c.example.test', time.now());
  issuer.wake();
  assert.equal((await issued(lab, third)).directory_url, first.directoryUrl);
  assert.equal(second.issued, 2);
});

test('a renewal goes back to the first authority, and names the replaced certificate to its own alone', async (t) => {
  const { lab, time, first, second, start } = await setUp(t);
  first.injectFault({ at: 'newOrder', type: 'serverInternal', times: 1 });
  const id = await putVerifiedDomain(lab.db, HOST, time.now());
  const issuer = start();
  await issued(lab, id);
  const renewed = async (from: { readonly directoryUrl: string }, serial: string) => {
    time.forward(62 * DAY_MS);
    issuer.wake();
    return until(async () => {
      const row = await certificateOf(lab.db, id);
      return row && row.serial !== serial && row.directory_url === from.directoryUrl && row;
    }, 'the renewal');
  };
  const one = await renewed(first, (await issued(lab, id)).serial);
  assert.deepEqual(first.replaced, [], 'the other authority issued it');
  await renewed(first, one.serial);
  assert.deepEqual(first.replaced, [one.ari_id]);
  assert.deepEqual([first.issued, second.issued], [2, 1]);
});

/** Faults, and whether the next authority is asked because of them. */
const FAULTS: readonly [at: Call, type: Parameters<Fault>[0]['type'], isNextAsked: boolean][] = [
  ['newAccount', 'serverInternal', true],
  ['newAccount', 'userActionRequired', true],
  ['newOrder', 'rateLimited', true],
  ['newOrder', 'rejectedIdentifier', true],
  ['newOrder', 'unauthorized', true],
  ['finalize', 'badCSR', true],
  ['validation', 'caa', true],
  ['validation', 'connection', false],
  ['validation', 'dns', false],
  ['validation', 'unauthorized', false],
];
type Fault = Awaited<ReturnType<typeof setUp>>['first']['injectFault'];

for (const [at, type, isNextAsked] of FAULTS) {
  const what = isNextAsked ? 'is taken to the next authority' : 'is left to who has the name';
  test(`${type} at ${at} ${what}`, async (t) => {
    const { lab, first, second, acme, start, time } = await setUp(t);
    first.injectFault({ at, type });
    const id = await putVerifiedDomain(lab.db, HOST, time.now());
    start();
    if (isNextAsked) {
      assert.equal((await issued(lab, id)).directory_url, second.directoryUrl);
      assert.equal(first.ordersByStatus().pending, 0, 'no order is left open');
      return;
    }
    await until(async () => (await failures(lab, id)).length > 0, 'the failure');
    const { problem, tried } = await shown(lab, id, acme, time.now());
    assert.equal(problem?.type, type);
    assert.deepEqual(tried, []);
    assert.equal(second.counts.newOrder, 0);
  });
}

test('where all refuse, the page says what each said, and when the first of them is asked again', async (t) => {
  const { lab, time, first, second, acme, start } = await setUp(t);
  first.injectFault({
    at: 'newOrder',
    type: 'rateLimited',
    detail: 'too many',
    retryAfter: '7200',
  });
  second.injectFault({ at: 'newOrder', type: 'rejectedIdentifier', detail: 'not for us' });
  const at = time.now();
  const id = await putVerifiedDomain(lab.db, HOST, at);
  const issuer = start();
  await until(async () => (await failures(lab, id)).length > 1, 'both failures');
  const issuance = await shown(lab, id, acme, at);
  const again = Date.parse(issuance.nextAttemptAt ?? '');
  assert.ok(again >= at + 2 * HOUR_MS && again < at + 2 * HOUR_MS + MINUTE_MS);
  assert.equal(issuance.authority, authorityName(first.directoryUrl));
  assert.equal(issuance.problem?.type, 'rejectedIdentifier');
  const told = issuance.tried.map(({ authority, nextAt, problem: { type, detail } }) => ({
    ...{ authority, nextAt, type, detail },
  }));
  const name = authorityName(second.directoryUrl);
  const refused = { type: 'rejectedIdentifier', detail: 'not for us' };
  assert.deepEqual(told, [{ authority: name, nextAt: null, ...refused }]);

  // Clicking Verify asks the one that refused for good once more, and not the other before its time.
  await lab.db.transaction().execute((trx) => ensureCertificate(trx, { id, hostname: HOST }, at));
  second.clearFaults();
  issuer.wake();
  assert.equal((await issued(lab, id)).directory_url, second.directoryUrl);
  assert.equal(first.counts.newOrder, 1);
});

test('an authority whose budget is used up is left out, and is not asked', async (t) => {
  const configs = [{ ordersPer3Hours: 10 }, {}];
  const { lab, time, first, second, start } = await setUp(t, { configs });
  const issuer = start();
  for (let n = 0; n < 12; n++) {
    const id = await putVerifiedDomain(lab.db, `n${n}.n${n}.example.test`, time.now());
    issuer.wake();
    await issued(lab, id);
  }
  assert.deepEqual([first.counts.newOrder, second.counts.newOrder], [9, 3]);
  const [event] = (await eventsOf(lab.db, 'dom_n9.n9.example.test')).filter(({ message }) =>
    message.startsWith('Asking '),
  );
  assert.match(event?.message ?? '', /in place of 127\.0\.0\.1:\d+, .*9 certificates were ordered/);
  time.forward(3 * HOUR_MS);
  const id = await putVerifiedDomain(lab.db, 'later.example.test', time.now());
  issuer.wake();
  assert.equal((await issued(lab, id)).directory_url, first.directoryUrl);
});

test('an authority that CAA records forbid is not asked; where they forbid all, the first is', async (t) => {
  const { lab, time, first, second, start } = await setUp(t);
  const id = await putVerifiedDomain(lab.db, HOST, time.now());
  const verdict = (allowed: readonly boolean[]) => ({
    authorities: [first, second].map(({ directoryUrl }, at) => ({
      ...{ name: '', directoryUrl, identity: '', isAllowed: allowed[at] === true },
    })),
  });
  await putCheck(lab.db, id, verdict([false, true]));
  const issuer = start();
  assert.equal((await issued(lab, id)).directory_url, second.directoryUrl);
  assert.equal(first.counts.newOrder, 0);
  const other = await putVerifiedDomain(lab.db, 'b.example.test', time.now());
  await putCheck(lab.db, other, verdict([false, false]));
  issuer.wake();
  assert.equal((await issued(lab, other)).directory_url, first.directoryUrl);
});

test('an authority that is no longer configured is given up, with its order', async (t) => {
  const { lab, time, first, second, acme, start } = await setUp(t);
  second.injectFault({ at: 'challenge', type: 'serverInternal' });
  first.injectFault({ at: 'newOrder', type: 'rejectedIdentifier' });
  const id = await putVerifiedDomain(lab.db, HOST, time.now());
  const before = start();
  await until(async () => (await failures(lab, id)).length > 1, 'both failures');
  await before.stop();
  first.clearFaults();
  time.forward(2 * HOUR_MS);
  const authorities = [acme.authorities[0]] as const;
  lab.issuer(first, { now: time.now, acme: { ...acme, authorities } });
  assert.equal((await issued(lab, id)).directory_url, first.directoryUrl);
});

onBothAuthorities('where the first authority is gone, the next one issues', async (t, start) => {
  const lab = await openLab(t);
  const [first, second] = [await start(lab), await start(lab)];
  const acme = await acmeOf(t, [first, second]);
  await first.close();
  const id = await putVerifiedDomain(lab.db);
  lab.issuer(first, { acme });
  assert.equal((await issued(lab, id)).directory_url, second.directoryUrl);
  const [failed] = await failures(lab, id);
  assert.equal(JSON.parse(failed?.details ?? '').problem, 'unreachable');
  const accounts = await lab.db.selectFrom('acme_accounts').selectAll().execute();
  const paused = accounts.filter(({ paused_until }) => paused_until !== null);
  assert.deepEqual(
    paused.map(({ directory_url }) => directory_url),
    [first.directoryUrl],
  );
});

onBothAuthorities(
  'an external account is bound to the account, by its own key',
  async (t, start) => {
    const lab = await openLab(t);
    const hmacKey = Buffer.from('a key of 32 bytes for a mac, ok?').toString('base64url');
    const authority = await start(lab, { externalAccounts: { 'kid-1': hmacKey } });
    const id = await putVerifiedDomain(lab.db);
    const wrong = { kid: 'kid-1', hmacKey: hmacKey.toUpperCase() };
    for (const eab of [undefined, wrong, { kid: 'kid-2', hmacKey }]) {
      const issuer = lab.issuer(authority, { acme: { eab } });
      await until(
        async () => (await issuanceOf(lab.db, id))?.last_problem ?? undefined,
        'the refusal',
      );
      await issuer.stop();
      const row = await issuanceOf(lab.db, id);
      const { type } = JSON.parse(row?.last_problem ?? '');
      assert.equal(type, eab ? 'accountRefused' : 'externalAccountRequired');
      const again = { last_problem: null, next_attempt_at: Date.now(), failures: 0, tried: '[]' };
      await lab.db.updateTable('issuances').set(again).execute();
    }
    lab.issuer(authority, { acme: { eab: { kid: 'kid-1', hmacKey } } });
    await issued(lab, id);
    assert.ok(!lab.logged.some((line) => line.includes(hmacKey)), 'no key is logged');
  },
);

test('a certificate is ordered with the profile, and not at all where the directory does not have it', async (t) => {
  const profiles = { classic: 90 * DAY_MS, shortlived: 6 * DAY_MS };
  const { lab, time, first, second, start } = await setUp(t, {
    options: [{ profiles: { classic: 90 * DAY_MS } }, { profiles }],
    configs: [{ profile: 'shortlived' }, { profile: 'shortlived' }],
  });
  const id = await putVerifiedDomain(lab.db, HOST, time.now());
  start();
  const { not_after, not_before, directory_url } = await issued(lab, id);
  assert.equal(directory_url, second.directoryUrl);
  assert.equal(not_after - not_before, 6 * DAY_MS);
  assert.equal(first.counts.newOrder, 0);
  const [failed] = await failures(lab, id);
  const { problem, detail } = JSON.parse(failed?.details ?? '');
  assert.deepEqual(
    [problem, detail],
    ['invalidProfile', 'It offers classic; configured: shortlived.'],
  );
});

test('renewal information is asked of the authority that issued, and one that is away holds up no other', async (t) => {
  const { lab, time, first, second, start } = await setUp(t);
  const issuer = start();
  const a = await putVerifiedDomain(lab.db, 'a.example.test', time.now());
  issuer.wake();
  await issued(lab, a);
  first.injectFault({ at: 'newOrder', type: 'serverInternal' });
  const b = await putVerifiedDomain(lab.db, 'b.example.test', time.now());
  issuer.wake();
  await issued(lab, b);
  for (const id of [a, b]) await renewalTold(lab.db, id, time.now);
  first.injectFault({ at: 'renewalInfo', type: 'serverInternal' });
  const soon = time.now() + DAY_MS;
  second.suggestRenewal(() => ({ start: soon, end: soon }));
  time.forward(7 * HOUR_MS);
  issuer.wake();
  await until(async () => (await certificateOf(lab.db, b))?.renew_at === soon, 'the window');
});
