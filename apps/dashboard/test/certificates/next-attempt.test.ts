import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type AuthorityFailure,
  parseTried,
} from '../../server/src/certificates/choose-authority.ts';
import { afterBudget, nextAttempt } from '../../server/src/certificates/next-attempt.ts';
import type { Problem } from '../../server/src/certificates/problem.ts';
import { pauseAccount, saveAccountKey } from '../../server/src/store/acme-accounts.ts';
import type { IssuanceChange } from '../../server/src/store/issuances.ts';
import { HERE, NOW, openAttempt, STAGING } from './support/attempt.ts';
import { acmeConfig } from './support/lab.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const THERE = 'https://there.test/directory';

const problem = (type: string, more: Partial<Problem> = {}): Problem => ({
  ...{ type, detail: 'why', at: NOW },
  ...more,
});
const failure = (
  directoryUrl: string,
  until: number | null,
  type = 'serverInternal',
): AuthorityFailure => ({
  ...{ directoryUrl, until, problem: problem(type) },
});

/** An attempt at the first of two authorities. */
async function open(t: TestContext, row: IssuanceChange = {}, stagingDirectoryUrl?: string) {
  const config = (directoryUrl: string) => acmeConfig({ directoryUrl, caFile: '' }).authorities[0];
  const authorities = [config(HERE), config(THERE)] as const;
  const order = { step: 'validate', order_url: 'order-1', sealed_key: 'sealed' };
  return openAttempt(t, { row: { ...order, ...row }, acme: { authorities, stagingDirectoryUrl } });
}

/** What follows a problem: where, after how many minutes, and what becomes of the order. */
async function after(t: TestContext, found: Problem, row: IssuanceChange = {}, staging?: string) {
  const { attempt } = await open(t, row, staging);
  const { change, at, nextAuthority, pausedUntil } = await nextAttempt(attempt, found);
  return {
    where: change.directory_url ?? attempt.row.directory_url,
    minutes: at === null ? null : Math.floor((at - NOW) / MINUTE_MS),
    isOrderKept: !('order_url' in change),
    nextAuthority,
    failures: change.failures ?? attempt.row.failures,
    isPaused: pausedUntil !== undefined,
    pausedUntil,
    tried: parseTried(change.tried ?? attempt.row.tried),
  };
}

test('what is the name’s stays where it is, with a wait', async (t) => {
  const found = await after(t, problem('dns', { challenge: 'http-01' }));
  assert.deepEqual(found, {
    ...{ where: HERE, minutes: 1, isOrderKept: false, nextAuthority: undefined },
    ...{ failures: 1, isPaused: false, pausedUntil: undefined, tried: [] },
  });
});

test('what is the authority’s goes to the next one within a second, and counts as no failure yet', async (t) => {
  for (const type of ['rateLimited', 'caa', 'rejectedIdentifier', 'somethingNew']) {
    const found = await after(t, problem(type));
    assert.deepEqual(
      [found.where, found.minutes, found.nextAuthority],
      [THERE, 0, 'there.test'],
      type,
    );
    assert.deepEqual([found.failures, found.isOrderKept, found.isPaused], [0, false, false], type);
    assert.deepEqual(
      found.tried.map(({ directoryUrl, problem: by }) => [directoryUrl, by.type]),
      [[HERE, type]],
    );
  }
  const away = await after(t, problem('unreachable'), { step: 'account', order_url: null });
  assert.deepEqual([away.where, away.isPaused], [THERE, true]);
  assert.equal(away.tried[0]?.step, undefined, 'there was no order');
});

test('an authority that fails for all names is not asked for five minutes, or for as long as it says', async (t) => {
  const pausedUntil = async (retryAt?: number) => {
    const more = retryAt === undefined ? {} : { retryAt };
    const row = { step: 'account', order_url: null };
    return (await after(t, problem('serverInternal', more), row)).pausedUntil;
  };
  assert.equal(await pausedUntil(), NOW + 5 * MINUTE_MS);
  assert.equal(await pausedUntil(NOW + MINUTE_MS), NOW + 5 * MINUTE_MS);
  assert.equal(await pausedUntil(NOW + HOUR_MS), NOW + HOUR_MS);
});

test('the only authority is not paused: other names are not held up, and this one waits its own wait', async (t) => {
  const { attempt } = await openAttempt(t, { row: { step: 'account' } });
  const next = await nextAttempt(attempt, problem('unreachable'));
  assert.deepEqual([next.pausedUntil, next.nextAuthority], [undefined, undefined]);
  assert.ok(next.at !== null && next.at >= NOW + MINUTE_MS && next.at < NOW + 2 * MINUTE_MS);
});

test('a second authority that refuses is remembered as the one that did, and the first has its turn again', async (t) => {
  const tried = JSON.stringify([failure(HERE, NOW)]);
  const found = await after(t, problem('rejectedIdentifier'), { directory_url: THERE, tried });
  assert.deepEqual(
    found.tried.map(({ directoryUrl, until }) => [directoryUrl, until]),
    [
      [HERE, NOW],
      [THERE, null],
    ],
  );
  assert.equal(found.where, HERE);
});

test('after a month without a certificate nobody is asked any more, and an order that failed is over', async (t) => {
  const row = { requested_at: NOW - 30 * 24 * HOUR_MS - 1, failures: 8 };
  const last = async (type: string) => {
    const { attempt } = await open(t, row);
    return nextAttempt(attempt, problem(type));
  };
  const never = { at: null, nextAuthority: undefined };
  const over = { order_url: null, sealed_key: null, step: 'account', directory_url: HERE };
  assert.deepEqual(await last('dns'), { change: { ...over, failures: 9 }, ...never });
  assert.deepEqual(await last('unreachable'), { change: { failures: 9 }, ...never });
});

test('what may be of one request is tried once more, and then elsewhere', async (t) => {
  const once = await after(t, problem('orderGone'));
  assert.deepEqual([once.where, once.minutes, once.failures], [HERE, 0, 1]);
  const nonce = await after(t, problem('badNonce'));
  assert.deepEqual([nonce.where, nonce.isOrderKept], [HERE, true]);
  const tried = JSON.stringify([failure(HERE, NOW, 'orderGone')]);
  const twice = await after(t, problem('orderGone'), { tried });
  assert.deepEqual([twice.where, twice.nextAuthority], [THERE, 'there.test']);
});

test('an order is asked for again in an outage, for as long as it gets ahead', async (t) => {
  for (const step of ['challenge', 'validate', 'finalize', 'download']) {
    const once = await after(t, problem('timeout'), { step });
    assert.deepEqual([once.where, once.isOrderKept, once.isPaused], [HERE, true, false], step);
    assert.equal(once.tried[0]?.step, step);
    const before = { ...failure(HERE, NOW), step: 'order' };
    const ahead = await after(t, problem('timeout'), { step, tried: JSON.stringify([before]) });
    assert.deepEqual([ahead.where, ahead.isOrderKept], [HERE, true], step);
    const stuck = await after(t, problem('timeout'), {
      ...{ step, tried: JSON.stringify([{ ...before, step }]) },
    });
    assert.deepEqual([stuck.where, stuck.isPaused], [THERE, true], step);
  }
  const limited = await after(t, problem('rateLimited'), { step: 'finalize' });
  assert.equal(limited.where, THERE, 'it says itself when it may be asked again');
  const refused = await after(t, problem('userActionRequired'), { step: 'finalize' });
  assert.deepEqual([refused.where, refused.isPaused], [THERE, true], 'it is no outage');
});

test('where all refuse, it waits for who may be asked first', async (t) => {
  const later = (until: number | null) => JSON.stringify([failure(THERE, until)]);
  const soon = await after(t, problem('rateLimited', { retryAt: NOW + 2 * HOUR_MS }), {
    tried: later(NOW + HOUR_MS),
  });
  assert.deepEqual([soon.where, soon.minutes, soon.failures], [THERE, 60, 1]);
  const own = await after(t, problem('rateLimited', { retryAt: NOW + 2 * HOUR_MS }), {
    tried: later(null),
  });
  assert.deepEqual([own.where, own.minutes, own.isOrderKept], [HERE, 120, true]);
  const never = await after(t, problem('rejectedIdentifier'), { tried: later(null) });
  assert.equal(never.minutes, null);
});

test('a paused authority is not the next one', async (t) => {
  const { attempt, db } = await open(t);
  await saveAccountKey(db, { directory_url: THERE, sealed_key: '', created_at: NOW });
  await pauseAccount(db, THERE, NOW + 5 * MINUTE_MS, JSON.stringify(problem('unreachable')));
  const { change, at } = await nextAttempt(attempt, problem('malformed'));
  assert.equal(change.directory_url ?? HERE, HERE);
  assert.ok(at !== null && at >= NOW + MINUTE_MS && at < NOW + 2 * MINUTE_MS);
});

test('a used up budget goes to the next one, and waits where there is none', async (t) => {
  const { attempt } = await open(t);
  const until = NOW + 3 * HOUR_MS;
  const budget = problem('budget', { retryAt: until });
  const next = await afterBudget(attempt, budget, until);
  assert.deepEqual([next.change.directory_url, next.nextAuthority], [THERE, 'there.test']);
  const { attempt: last } = await open(t, { tried: JSON.stringify([failure(THERE, null)]) });
  const waiting = await afterBudget(last, budget, until);
  assert.deepEqual([waiting.at, waiting.nextAuthority], [until, undefined]);
});

test('an order that waits for its budget has not failed: it goes to no staging directory', async (t) => {
  const row = { tried: JSON.stringify([failure(THERE, null)]) };
  const { attempt } = await open(t, row, STAGING);
  const until = NOW + 3 * HOUR_MS;
  const waiting = await afterBudget(attempt, problem('budget', { retryAt: until }), until);
  assert.equal(waiting.at, until);
  assert.equal(waiting.change.directory_url ?? attempt.row.directory_url, HERE);
});

test('a budget that is free again meanwhile is used: it is not told as a change of the authority', async (t) => {
  const { attempt } = await open(t, { tried: JSON.stringify([failure(THERE, null)]), failures: 2 });
  const next = await afterBudget(attempt, problem('budget', { retryAt: NOW }), NOW);
  assert.deepEqual([next.at, next.nextAuthority], [NOW, undefined]);
  const { change } = next;
  assert.deepEqual([change.directory_url ?? attempt.row.directory_url, change.failures], [HERE, 2]);
});

test('the staging directory is of the first one: its order fails as that one does', async (t) => {
  const named = await after(t, problem('dns'), {}, STAGING);
  assert.equal(named.where, STAGING);
  const there = await after(t, problem('dns'), { directory_url: THERE }, STAGING);
  assert.equal(there.where, THERE);
  const gone = await after(t, problem('orderGone'), {}, STAGING);
  assert.deepEqual([gone.where, gone.isOrderKept], [HERE, false], 'no order of it failed');
  const away = await after(t, problem('unreachable'), { directory_url: STAGING }, STAGING);
  assert.deepEqual([away.where, away.isPaused, away.tried], [HERE, false, []]);
  const refused = await after(
    t,
    problem('rejectedIdentifier'),
    { directory_url: STAGING },
    STAGING,
  );
  assert.deepEqual(
    [refused.where, refused.tried.map(({ directoryUrl }) => directoryUrl)],
    [THERE, [HERE]],
  );
});

test('a renewal waits an hour at most, and a new certificate up to six', async (t) => {
  const dns = problem('dns');
  const { attempt } = await open(t, { kind: 'renewal', failures: 20 });
  assert.equal((await nextAttempt(attempt, dns)).at, NOW + HOUR_MS);
  const first = await after(t, dns, { kind: 'first', failures: 20 });
  assert.ok(Number(first.minutes) >= 360);
  const told = await after(t, problem('rateLimited', { retryAt: NOW + 7 * HOUR_MS }), {
    ...{ kind: 'renewal', tried: JSON.stringify([failure(THERE, null)]) },
  });
  assert.equal(told.minutes, 420);
});
