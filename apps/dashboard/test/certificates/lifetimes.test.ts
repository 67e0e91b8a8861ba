import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RenewalWindow } from '@petstore/lab/certificate-authority/routes.ts';
import { latestRenewal, renewalTime } from '../../server/src/certificates/renewal.ts';
import { clock } from './support/clock.ts';
import {
  acmeOf,
  certificateOf,
  HOST,
  issuanceOf,
  openLab,
  putVerifiedDomain,
  renewalTold,
  startLabAuthority,
  until,
} from './support/lab.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Let's Encrypt's lifetimes until 2028, its short-lived profile, and what a private authority may have. */
const LIFETIMES_IN_DAYS = [90, 64, 45, 10, 6, 1];

for (const days of LIFETIMES_IN_DAYS) {
  test(`a certificate of ${days} days is renewed in its last third, with a day or a sixth of its life left`, async (t) => {
    const time = clock();
    const lab = await openLab(t);
    const authority = await startLabAuthority(t, lab, {
      ...{ now: time.now, isPrompt: true, hasRenewalInfo: false },
      certificateLifetimeMs: days * DAY_MS,
      authorizationReuseMs: 7 * HOUR_MS,
    });
    const id = await putVerifiedDomain(lab.db, HOST, time.now());
    const issuer = lab.issuer(authority, { now: time.now });
    const first = await until(() => certificateOf(lab.db, id), 'the certificate');
    const life = { notBefore: first.not_before, notAfter: first.not_after };
    assert.equal(first.not_after - first.not_before, days * DAY_MS);
    assert.ok(first.renew_at >= renewalTime(life, 1) && first.renew_at <= renewalTime(life, 0));
    assert.ok(first.not_after - first.renew_at >= Math.min(DAY_MS, (days * DAY_MS) / 3 - 1));

    time.to(first.renew_at - 10 * MINUTE_MS);
    issuer.wake();
    time.to(first.renew_at + MINUTE_MS);
    issuer.wake();
    const second = await until(async () => {
      const row = await certificateOf(lab.db, id);
      return row?.serial !== first.serial && row;
    }, 'the renewal');
    assert.ok(second.issued_at >= first.renew_at, 'not before its time');
    assert.ok(second.not_after > first.not_after);
    // No validation is reused after so long: each certificate has its own.
    assert.equal(authority.counts.validation, 2);
  });
}

test('within seven hours a validation is reused, and the host is not asked again', async (t) => {
  const time = clock();
  const lab = await openLab(t);
  const authority = await startLabAuthority(t, lab, {
    ...{ now: time.now, isPrompt: true, authorizationReuseMs: 7 * HOUR_MS },
  });
  const past: RenewalWindow = ({ notBefore }) => ({ start: notBefore, end: notBefore + 1 });
  const id = await putVerifiedDomain(lab.db, HOST, time.now());
  const issuer = lab.issuer(authority, { now: time.now });
  let { serial } = await until(() => certificateOf(lab.db, id), 'the certificate');
  const replaced = () =>
    until(async () => {
      const row = await certificateOf(lab.db, id);
      return row !== undefined && row.serial !== serial && row;
    }, 'another certificate');
  await renewalTold(lab.db, id, time.now);
  authority.suggestRenewal(past);
  time.forward(6.5 * HOUR_MS);
  issuer.wake();
  ({ serial } = await replaced());
  assert.equal(authority.counts.validation, 1, 'valid from the order before');
  time.forward(7 * HOUR_MS);
  issuer.wake();
  await replaced();
  assert.equal(authority.counts.validation, 2);
});

test('a revoked certificate is replaced at the word of its authority, which is asked every hour at least while it fails', async (t) => {
  const time = clock();
  const lab = await openLab(t);
  const first = await startLabAuthority(t, lab, { now: time.now, isPrompt: true });
  const id = await putVerifiedDomain(lab.db, HOST, time.now());
  const issuer = lab.issuer(first, { now: time.now });
  const { serial, ari_id } = await until(() => certificateOf(lab.db, id), 'the certificate');
  await renewalTold(lab.db, id, time.now);
  first.suggestRenewal(({ notBefore }) => ({ start: notBefore, end: notBefore + HOUR_MS }));
  first.injectFault({ at: 'newOrder', type: 'serverInternal', times: 9 });
  time.forward(6.5 * HOUR_MS);
  const told = time.now();
  issuer.wake();
  let failures = 0;
  for (;;) {
    const row = await until(async () => {
      if ((await certificateOf(lab.db, id))?.serial !== serial) return 'replaced' as const;
      const waiting = await issuanceOf(lab.db, id);
      return waiting && waiting.failures > failures && waiting.leased_by === null && waiting;
    }, 'a failure or the certificate');
    if (row === 'replaced') break;
    failures = row.failures;
    assert.ok(row.next_attempt_at !== null && row.next_attempt_at - time.now() <= HOUR_MS);
    time.to(row.next_attempt_at);
    issuer.wake();
  }
  assert.equal(failures, 9);
  assert.deepEqual(first.replaced, [ari_id]);
  assert.ok(time.now() - told < 6 * HOUR_MS, 'nine failures, with an hour between two at most');
});

test('an authority that is away for the last third of six days lets no certificate end', async (t) => {
  const time = clock();
  const lab = await openLab(t);
  const six = { now: time.now, isPrompt: true, certificateLifetimeMs: 6 * DAY_MS };
  const [first, second] = [
    await startLabAuthority(t, lab, six),
    await startLabAuthority(t, lab, six),
  ];
  const acme = await acmeOf(t, [first, second]);
  const id = await putVerifiedDomain(lab.db, HOST, time.now());
  const issuer = lab.issuer(first, { now: time.now, acme });
  const old = await until(() => certificateOf(lab.db, id), 'the certificate');
  for (const at of ['directory', 'newOrder', 'newNonce', 'account', 'renewalInfo'] as const) {
    first.injectFault({ at, type: 'serverInternal', status: 503 });
  }
  time.to(old.not_before + 4 * DAY_MS + HOUR_MS);
  issuer.wake();
  const row = await until(async () => {
    const now = await certificateOf(lab.db, id);
    return now?.serial !== old.serial && now;
  }, 'the renewal');
  assert.equal(row.directory_url, second.directoryUrl);
  assert.ok(row.issued_at < old.not_after - DAY_MS);
});

test('however late the window of an authority is, a sixth of the life is left', () => {
  assert.equal(latestRenewal({ notBefore: 0, notAfter: 6 * DAY_MS }), 5 * DAY_MS);
});
