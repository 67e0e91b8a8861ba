import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { CertificateAuthorityOptions } from '@petstore/lab/certificate-authority/certificate-authority.ts';
import { clock } from './support/clock.ts';
import {
  certificateOf,
  eventsOf,
  issuanceOf,
  type Lab,
  openLab,
  putVerifiedDomain,
  renewalTold,
  startLabAuthority,
  until,
  witness,
} from './support/lab.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A domain with a certificate, and the issuer at work. */
async function withCertificate(t: TestContext, options: Partial<CertificateAuthorityOptions> = {}) {
  const time = clock();
  const lab = await openLab(t);
  const authority = await startLabAuthority(t, lab, {
    now: time.now,
    isPrompt: true,
    ...options,
  });
  const id = await putVerifiedDomain(lab.db);
  const issuer = lab.issuer(authority, { now: time.now });
  const first = await until(() => certificateOf(lab.db, id), 'the certificate');
  return { time, lab, authority, id, issuer, first };
}

const another = (lab: Lab, id: string, serial: string) =>
  until(async () => {
    const row = await certificateOf(lab.db, id);
    return row && row.serial !== serial && row;
  }, 'another certificate');

test('a certificate is renewed at two thirds of its life where the authority says nothing', async (t) => {
  const { time, lab, authority, id, issuer, first } = await withCertificate(t, {
    hasRenewalInfo: false,
  });
  assert.equal(first.ari_id, null);
  const life = first.not_after - first.not_before;
  const share = (first.renew_at - first.not_before) / life;
  assert.ok(share > 0.6 && share <= 0.667, `${share} of its life`);
  time.to(first.renew_at - HOUR_MS);
  await witness(lab, issuer, time.now());
  assert.equal((await certificateOf(lab.db, id))?.serial, first.serial, 'not too soon');
  assert.equal(await issuanceOf(lab.db, id), undefined);
  time.to(first.renew_at);
  issuer.wake();
  const second = await another(lab, id, first.serial);
  assert.notEqual(second.sealed_key, first.sealed_key);
  assert.ok(second.not_after > first.not_after);
  assert.equal(authority.counts.newOrder, 3, 'with that of the witness');
  assert.equal((await eventsOf(lab.db, id)).at(-1)?.kind, 'certificate.renewed');
});

test('a certificate of six days is renewed in time, again and again', async (t) => {
  const { time, lab, id, issuer, first } = await withCertificate(t, {
    hasRenewalInfo: false,
    certificateLifetimeMs: 6 * DAY_MS,
  });
  let last = first;
  for (let round = 0; round < 3; round++) {
    assert.ok(last.not_after - last.renew_at > DAY_MS, 'time is left to try again');
    time.to(last.renew_at);
    issuer.wake();
    last = await another(lab, id, last.serial);
  }
});

test('a certificate of a day is renewed in time for two weeks, and costs no other name its own', async (t) => {
  const { time, lab, authority, id, issuer, first } = await withCertificate(t, {
    hasRenewalInfo: false,
    certificateLifetimeMs: DAY_MS,
  });
  const end = time.now() + 14 * DAY_MS;
  let last = first;
  while (time.now() < end) {
    time.to(last.renew_at);
    issuer.wake();
    last = await another(lab, id, last.serial);
  }
  assert.ok(authority.issued > 20, `${authority.issued} certificates`);
  const other = await putVerifiedDomain(lab.db, 'other.example.test', time.now());
  issuer.wake();
  await until(() => certificateOf(lab.db, other), 'the certificate of another name');
  // Whoever proves the name next begins with a new one.
  await lab.db.deleteFrom('domains').where('id', '=', id).execute();
  await putVerifiedDomain(lab.db, undefined, time.now());
  issuer.wake();
  await until(() => certificateOf(lab.db, id), 'the certificate of the next claim');
});

test('an authority that refuses a renewal for now is asked again when it says, and the old one serves', async (t) => {
  const { time, lab, authority, id, issuer, first } = await withCertificate(t, {
    hasRenewalInfo: false,
    certificateLifetimeMs: DAY_MS,
  });
  authority.injectFault({ at: 'newOrder', type: 'rateLimited', retryAfter: '10800' });
  time.to(first.renew_at);
  issuer.wake();
  const refused = await until(async () => {
    const row = await issuanceOf(lab.db, id);
    return row && row.failures === 1 && row.leased_by === null && row;
  }, 'the refusal');
  const next = refused.next_attempt_at ?? 0;
  assert.ok(next - time.now() > 2.9 * HOUR_MS, new Date(next).toISOString());
  time.to(next - HOUR_MS);
  authority.clearFaults();
  await witness(lab, issuer, time.now());
  assert.equal(authority.counts.newOrder, 3, 'not asked before, but for the witness');
  assert.equal((await certificateOf(lab.db, id))?.serial, first.serial);
  time.to(next);
  issuer.wake();
  await another(lab, id, first.serial);
});

test("an authority's window decides when to renew, and may be moved to now", async (t) => {
  const { time, lab, authority, id, issuer, first } = await withCertificate(t);
  const { ari_id } = first;
  assert.match(ari_id ?? '', /^[\w-]+\.[\w-]+$/);
  const [start, end] = [first.not_before + 10 * DAY_MS, first.not_before + 12 * DAY_MS];
  await renewalTold(lab.db, id, time.now);
  const { renew_at } = (await certificateOf(lab.db, id)) ?? first;
  authority.suggestRenewal(() => ({ start, end }));
  time.forward(7 * HOUR_MS);
  issuer.wake();
  const drawn = await until(async () => {
    const row = await certificateOf(lab.db, id);
    return row && row.renew_at !== renew_at && row.renew_at;
  }, 'an instant in the window');
  assert.ok(drawn >= start && drawn <= end);
  time.forward(7 * HOUR_MS);
  issuer.wake();
  await renewalTold(lab.db, id, time.now);
  assert.equal((await certificateOf(lab.db, id))?.renew_at, drawn, 'what was drawn stays');

  authority.suggestRenewal(() => ({ start: time.now() - DAY_MS, end: time.now() - HOUR_MS }));
  time.forward(7 * HOUR_MS);
  issuer.wake();
  const isDue = async () => ((await certificateOf(lab.db, id))?.renew_at ?? 0) <= time.now();
  await until(isDue, 'the moved instant');
  // The next look for certificates that are due.
  time.forward(MINUTE_MS);
  issuer.wake();
  await another(lab, id, first.serial);
  assert.equal(authority.replaced.at(-1), ari_id, 'it says which one it replaces');
});

test('while a renewal fails the old certificate stays, and its end is announced once', async (t) => {
  const { time, lab, authority, id, issuer, first } = await withCertificate(t, {
    hasRenewalInfo: false,
  });
  authority.injectFault({ at: 'newOrder', type: 'serverInternal' });
  time.to(first.not_after - 13 * DAY_MS);
  const announced = async () =>
    (await eventsOf(lab.db, id)).filter(({ kind }) => kind === 'certificate.expiring').length;
  for (let round = 1; round <= 3; round++) {
    issuer.wake();
    await until(async () => ((await issuanceOf(lab.db, id))?.failures ?? 0) >= round, 'a failure');
    time.forward(7 * HOUR_MS);
    issuer.wake();
    await until(async () => (await announced()) > 0, 'the announcement');
  }
  assert.equal(await announced(), 1);
  assert.equal((await certificateOf(lab.db, id))?.serial, first.serial);
  authority.clearFaults();
  time.forward(7 * HOUR_MS);
  issuer.wake();
  await another(lab, id, first.serial);
});

test('a name that leads elsewhere, or is removed, is not renewed', async (t) => {
  const { time, lab, authority, id, issuer, first } = await withCertificate(t, {
    hasRenewalInfo: false,
  });
  const set = (change: { moved_away_at: number | null; removed_at?: number }) =>
    lab.db.updateTable('domains').set(change).where('id', '=', id).execute();
  await set({ moved_away_at: time.now() });
  time.to(first.renew_at);
  await witness(lab, issuer, time.now());
  assert.equal(await issuanceOf(lab.db, id), undefined);
  await set({ moved_away_at: null, removed_at: time.now() });
  time.forward(HOUR_MS);
  await witness(lab, issuer, time.now());
  assert.equal(authority.counts.newOrder, 3, 'with those of the witnesses');
  assert.equal(await issuanceOf(lab.db, id), undefined);
});

test('many renewals at once are done a few at a time', async (t) => {
  const time = clock();
  const lab = await openLab(t);
  const open = { now: 0, most: 0 };
  const authority = await startLabAuthority(t, lab, {
    now: time.now,
    hasRenewalInfo: false,
    onCall(call) {
      const { pending, ready, processing } = authority.ordersByStatus();
      open.now = pending + ready + processing;
      if (call === 'order') open.most = Math.max(open.most, open.now);
    },
  });
  const names = Array.from({ length: 8 }, (_, at) => `n${at}.example.test`);
  for (const name of names) await putVerifiedDomain(lab.db, name);
  const issuer = lab.issuer(authority, { now: time.now });
  const count = async () => (await lab.db.selectFrom('certificates').selectAll().execute()).length;
  await until(async () => (await count()) === names.length, 'all certificates');
  time.forward(61 * DAY_MS);
  issuer.wake();
  await until(async () => authority.issued === 2 * names.length, 'all renewals');
  assert.ok(open.most > 1 && open.most <= 4, `${open.most} at once`);
});
