import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ProblemError, UnreachableError } from '../../server/src/certificates/acme-transport.ts';
import { backoff } from '../../server/src/certificates/backoff.ts';
import { dropIssuance, endFailedAttempt } from '../../server/src/certificates/end-attempt.ts';
import {
  goToStep,
  LeaseLostError,
  recordProgress,
  STEPS,
  stepOf,
} from '../../server/src/certificates/issuance.ts';
import { OrderDeferredError } from '../../server/src/certificates/order.ts';
import { OrderFailedError, type Problem } from '../../server/src/certificates/problem.ts';
import { putChallenge } from '../../server/src/store/acme-challenges.ts';
import { endOrder, insertOrder } from '../../server/src/store/acme-orders.ts';
import type { IssuanceRow } from '../../server/src/store/issuances.ts';
import { HERE, type Made, NOW, openAttempt, orderWith, STAGING } from './support/attempt.ts';
import { acmeConfig, eventsOf, HOST } from './support/lab.ts';

// What an attempt that failed leaves behind, with an authority that is asked nothing that a test does not expect.

const THERE = 'https://other.test/directory';
const authority = (directoryUrl: string) => acmeConfig({ directoryUrl, caFile: '' }).authorities[0];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const ORDERED = { order_url: 'order-1', sealed_key: 'sealed', step: 'validate' } as const;
const FAILED: Problem = { type: 'unauthorized', detail: 'no', at: NOW, challenge: 'http-01' };
const failed = (changes: Partial<Problem> = {}) => new OrderFailedError({ ...FAILED, ...changes });
const refused = (type: string, retryAfterMs?: number) =>
  new ProblemError({ type, detail: 'no', status: 403 }, retryAfterMs);

async function putOrder({ db, id }: Pick<Made, 'db' | 'id'>) {
  await db.transaction().execute((trx) =>
    insertOrder(trx, {
      ...{ directory_url: HERE, hostname: HOST, registered_domain: 'example.test' },
      ...{ project_id: 'petstore', domain_id: id, is_renewal: 0, at: NOW },
    }),
  );
  await db.transaction().execute((trx) =>
    putChallenge(trx, {
      ...{ hostname: HOST, domain_id: id, type: 'http-01', token: 'token' },
      ...{ key_authorization: 'x', created_at: NOW },
    }),
  );
}

const orderState = async ({ db }: Pick<Made, 'db'>) =>
  (await db.selectFrom('acme_orders').select('state').execute()).map(({ state }) => state);

const challenges = async ({ db }: Pick<Made, 'db'>) =>
  (await db.selectFrom('acme_challenges').selectAll().execute()).length;

const notices = async ({ db }: Pick<Made, 'db'>) =>
  (await db.selectFrom('notices').select('type').execute()).map(({ type }) => type);

async function putWebhook({ db }: Pick<Made, 'db'>) {
  await db
    .insertInto('webhooks')
    .values({
      ...{ id: 'hook', project_id: 'petstore', url: 'https://a.test/', sealed_secret: 's' },
      ...{ created_at: 0, created_by_email: 'ann@example.com' },
    })
    .execute();
}

/** An order at the authority, of which an attempt ends with `error`. */
async function ended(
  t: TestContext,
  error: unknown,
  options: Parameters<typeof openAttempt>[1] = {},
) {
  const made = await openAttempt(t, {
    ...options,
    row: { ...ORDERED, ...options.row },
    client: { getOrder: async (url) => orderWith(url), ...options.client },
  });
  await putOrder(made);
  await endFailedAttempt(made.attempt, error);
  const row = await made.row();
  assert.ok(row);
  const last = (await eventsOf(made.db, made.id)).at(-1);
  return {
    ...made,
    row,
    last,
    wait: row.next_attempt_at === null ? null : row.next_attempt_at - NOW,
  };
}

/** Within what a wait may be longer, so that not all attempts come together. */
const isAbout = (wait: number | null, ms: number) =>
  assert.ok(wait !== null && wait >= ms && wait <= ms * 1.1, `${wait} ms, not ${ms}`);

test('waits after failures grow from a minute to six hours, by a tenth at most at random', () => {
  const minutes = [1, 5, 10, 20, 30, 60, 60, 120, 180, 360, 360, 360];
  for (const [at, wait] of minutes.entries()) {
    assert.equal(backoff(at + 1, 0), wait * MINUTE_MS);
    assert.equal(backoff(at + 1, 1), Math.round(wait * MINUTE_MS * 1.1));
    assert.equal(backoff(at + 1, 0.5, true), at === 0 ? 1_000 : backoff(at + 1, 0.5));
  }
});

test('an order that failed is abandoned and counted, and the next attempt begins anew', async (t) => {
  const made = await ended(t, failed());
  const { row, last, wait, asked, logged } = made;
  assert.deepEqual(asked, ['getOrder order-1', 'abandon order-1']);
  const { order_url, sealed_key, step, directory_url, failures, leased_by, leased_until } = row;
  assert.deepEqual(
    { order_url, sealed_key, step, directory_url, failures, leased_by, leased_until },
    {
      ...{ order_url: null, sealed_key: null, step: 'account', directory_url: HERE, failures: 1 },
      ...{ leased_by: null, leased_until: null },
    },
  );
  isAbout(wait, MINUTE_MS);
  assert.deepEqual(JSON.parse(row.last_problem ?? ''), FAILED);
  assert.deepEqual(await orderState(made), ['failed']);
  assert.equal(await challenges(made), 0);
  assert.deepEqual(logged, [`${HOST}: an attempt at a certificate failed`]);
  assert.equal(last?.kind, 'certificate.failed');
  assert.match(
    last?.message ?? '',
    /^An attempt at a certificate for docs\.example\.test failed: The certificate authority reached/,
  );
  const details = { problem: 'unauthorized', detail: 'no', isGivenUp: false, failures: 1 };
  assert.deepEqual(JSON.parse(last?.details ?? ''), details);
});

test('a request that failed keeps the order, and waits as long as the authority says', async (t) => {
  const made = await ended(t, refused('rateLimited', 2 * HOUR_MS));
  const { row, wait, asked } = made;
  assert.deepEqual(asked, []);
  assert.deepEqual([row.order_url, row.sealed_key, row.step], ['order-1', 'sealed', 'validate']);
  assert.equal(wait, 2 * HOUR_MS);
  assert.deepEqual(await orderState(made), ['open']);
  assert.equal(await challenges(made), 1);
  const short = await ended(t, refused('badNonce', 1));
  isAbout(short.wait, MINUTE_MS);
});

test('what is never issued is not tried again, and the owners are notified once', async (t) => {
  const first = await ended(t, failed({ type: 'caa' }));
  assert.equal(first.wait, null);
  assert.match(
    first.last?.message ?? '',
    /^No certificate for docs\.example\.test, and no more attempts: A CAA record/,
  );
  assert.equal(JSON.parse(first.last?.details ?? '').isGivenUp, true);
});

test('an attempt is given up when there was no certificate for a month; a renewal is not', async (t) => {
  const row = { requested_at: NOW - 30 * DAY_MS };
  const still = await ended(t, failed({ type: 'dns' }), { row });
  isAbout(still.wait, MINUTE_MS);
  const old = { requested_at: NOW - 30 * DAY_MS - 1 };
  assert.equal((await ended(t, failed({ type: 'dns' }), { row: old })).wait, null);
  const renewal = await ended(t, failed({ type: 'dns' }), { row: { ...old, kind: 'renewal' } });
  isAbout(renewal.wait, MINUTE_MS);
});

test('where a port is closed, another challenge is tried at once, if there is one', async (t) => {
  const closed = failed({ type: 'connection' });
  isAbout((await ended(t, closed)).wait, 1_000);
  const one = { acme: { challenges: ['http-01'] as const } };
  isAbout((await ended(t, closed, one)).wait, MINUTE_MS);
  isAbout((await ended(t, closed, { row: { failures: 1 } })).wait, 5 * MINUTE_MS);
});

test('an order or account that the authority lost does not count as a failed order', async (t) => {
  const gone = await ended(t, failed({ type: 'orderGone' }));
  isAbout(gone.wait, 1_000);
  assert.deepEqual(await orderState(gone), ['ended']);
  assert.deepEqual([gone.row.order_url, gone.row.step], [null, 'account']);
  const account = await ended(t, refused('accountDoesNotExist'), { isClosed: async () => true });
  assert.deepEqual(account.asked, [`replaceIfClosed ${HERE}`]);
  isAbout(account.wait, 1_000);
  assert.deepEqual(await orderState(account), ['ended']);
});

test('an account that was closed is told from a name that is refused', async (t) => {
  const typeOf = async (isClosed: () => Promise<boolean>) => {
    const { asked, row } = await ended(t, refused('unauthorized'), { isClosed });
    assert.equal(asked[0], `replaceIfClosed ${HERE}`);
    return JSON.parse(row.last_problem ?? '').type;
  };
  assert.equal(await typeOf(async () => true), 'accountDoesNotExist');
  assert.equal(await typeOf(async () => false), 'unauthorized');
  assert.equal(await typeOf(() => Promise.reject(new Error('away'))), 'unauthorized');
});

test('after a failed order the staging directory is first, and left where it cannot be reached', async (t) => {
  const acme = { stagingDirectoryUrl: STAGING };
  assert.equal((await ended(t, failed(), { acme })).row.directory_url, STAGING);
  const there = { ...ORDERED, directory_url: STAGING };
  assert.equal((await ended(t, failed(), { acme, row: there })).row.directory_url, STAGING);
  const away = new UnreachableError('away', { isTimeout: false });
  const back = (await ended(t, away, { acme, row: there })).row;
  assert.deepEqual([back.directory_url, back.order_url, back.step], [HERE, null, 'account']);
  const kept = (await ended(t, away, { acme })).row;
  assert.deepEqual([kept.directory_url, kept.order_url, kept.step], [HERE, 'order-1', 'validate']);
});

test('no attempt comes before the budget of the name allows it', async (t) => {
  const made = await openAttempt(t, {
    row: ORDERED,
    client: { getOrder: async (url) => orderWith(url) },
  });
  for (const minutes of [50, 40, 30]) {
    await putOrder(made);
    const at = NOW - minutes * MINUTE_MS;
    await made.db.transaction().execute((trx) => endOrder(trx, made.id, 'failed', at));
  }
  await putOrder(made);
  await endFailedAttempt(made.attempt, failed());
  assert.equal((await made.row())?.next_attempt_at, NOW + 10 * MINUTE_MS);
});

test('owners are notified when it is given up, if that is news, and at the third failure in a row', async (t) => {
  const count = async (error: unknown, row: object) => {
    const made = await openAttempt(t, {
      row: { ...ORDERED, ...row },
      client: { getOrder: async (url) => orderWith(url) },
    });
    await putWebhook(made);
    await endFailedAttempt(made.attempt, error);
    return notices(made);
  };
  const told = ['domain.certificate_failed'];
  assert.deepEqual(await count(failed(), { failures: 1 }), []);
  assert.deepEqual(await count(failed(), { failures: 2 }), told);
  assert.deepEqual(await count(failed({ type: 'caa' }), {}), told);
  const again = { last_problem: JSON.stringify({ ...FAILED, type: 'caa' }) };
  assert.deepEqual(await count(failed({ type: 'caa' }), again), []);
  assert.deepEqual(await count(failed({ type: 'compound' }), again), told);
});

test('of failures in a row the owners are notified once, by the third or the next that can be explained', async (t) => {
  const defect = new TypeError('a defect');
  for (const [errors, told] of [
    [
      [failed(), failed(), failed(), failed(), failed()],
      [0, 0, 1, 1, 1],
    ],
    [
      [failed(), failed(), defect, failed(), failed()],
      [0, 0, 0, 1, 1],
    ],
    [
      [defect, defect, defect, defect, failed()],
      [0, 0, 0, 0, 1],
    ],
    // Where another authority is asked next, nobody is notified yet, and nobody is a second time.
    [
      [defect, defect, defect, failed({ type: 'malformed' }), failed()],
      [0, 0, 0, 0, 1],
    ],
    [
      [failed(), failed(), failed(), failed({ type: 'malformed' }), failed()],
      [0, 0, 1, 1, 1],
    ],
  ] as const) {
    const made = await openAttempt(t, {
      row: ORDERED,
      acme: { authorities: [authority(HERE), authority(THERE)] },
      client: { getOrder: async (url) => orderWith(url) },
    });
    await putWebhook(made);
    const counted: number[] = [];
    for (const error of errors) {
      const lease = { ...ORDERED, leased_by: 'me', leased_until: NOW + 1 };
      await made.db.updateTable('issuances').set(lease).execute();
      const row = (await made.row()) as IssuanceRow;
      await endFailedAttempt({ ...made.attempt, row }, error);
      counted.push((await notices(made)).length);
    }
    assert.deepEqual(counted, told);
  }
});

test('an order that waits for the limits says until when, and hides no problem that somebody has to mend', async (t) => {
  const deferred = new OrderDeferredError({
    ...{ why: '4 orders failed', until: NOW + HOUR_MS, of: 'own' },
  });
  const { row, last, wait } = await ended(t, deferred);
  assert.equal(wait, HOUR_MS);
  assert.deepEqual([row.leased_by, row.failures], [null, 0]);
  const budget = { type: 'budget', detail: '4 orders failed', at: NOW, retryAt: NOW + HOUR_MS };
  assert.deepEqual(JSON.parse(row.last_problem ?? ''), budget);
  assert.deepEqual(
    [last?.kind, last?.message],
    [
      'certificate.step',
      "Waiting until 2026-11-21T13:00:00.000Z, to stay below the certificate authority's limits: 4 orders failed.",
    ],
  );
  for (const [type, shown] of [
    ['unauthorized', 'unauthorized'],
    ['serverInternal', 'budget'],
    ['budget', 'budget'],
  ]) {
    const last_problem = JSON.stringify({ ...FAILED, type });
    const after = await ended(t, deferred, { row: { last_problem } });
    const stored = JSON.parse(after.row.last_problem ?? '');
    assert.equal(stored.type, shown);
    assert.equal(stored.detail, shown === 'budget' ? '4 orders failed' : 'no');
  }
});

test('a defect of the program is logged and tried again, with the order as it is', async (t) => {
  const { row, wait, logged, asked } = await ended(t, new TypeError('a defect'), {
    row: { failures: 1 },
  });
  isAbout(wait, 5 * MINUTE_MS);
  assert.deepEqual([row.failures, row.order_url, row.leased_by], [2, 'order-1', null]);
  assert.deepEqual(logged, [`${HOST}: a certificate attempt failed unexpectedly`]);
  assert.deepEqual([row.last_problem, asked], [null, []]);
});

test('a process that stops gives the lease back and changes nothing else', async (t) => {
  const controller = new AbortController();
  controller.abort();
  const { row, asked } = await ended(t, failed(), { signal: controller.signal });
  assert.deepEqual([row.leased_by, row.leased_until, row.failures], [null, null, 0]);
  assert.deepEqual([row.order_url, row.step, asked], ['order-1', 'validate', []]);
});

test('who lost the lease changes nothing, and abandons an order only if no other process has it', async (t) => {
  const controller = new AbortController();
  controller.abort();
  for (const [error, signal] of [
    [new LeaseLostError(), undefined],
    [failed({ type: 'dns' }), undefined],
    [failed(), controller.signal],
  ] as const) {
    const client = { getOrder: async (url: string) => orderWith(url) };
    const made = await openAttempt(t, { row: ORDERED, client, ...(signal && { signal }) });
    await putOrder(made);
    const theirs = { leased_by: 'other', order_url: 'order-2' };
    await made.db.updateTable('issuances').set(theirs).execute();
    await endFailedAttempt(made.attempt, error);
    const row = await made.row();
    assert.deepEqual([row?.leased_by, row?.order_url, row?.failures], ['other', 'order-2', 0]);
    assert.ok(made.asked.includes('abandon order-1'));
    assert.deepEqual(await orderState(made), ['open'], 'which is the one of the other process');
  }
  // The same order, and one that is not placed yet: the other process goes on with them.
  for (const row of [ORDERED, { ...ORDERED, order_url: null }]) {
    const client = { getOrder: async (url: string) => orderWith(url) };
    const same = await openAttempt(t, { row, client });
    await same.db.updateTable('issuances').set({ leased_by: 'other' }).execute();
    await endFailedAttempt(same.attempt, new LeaseLostError());
    assert.deepEqual(same.asked, []);
  }
});

test('an order whose issuance is gone counts as a certificate where one may have been issued', async (t) => {
  for (const step of STEPS) {
    const client = { getOrder: async (url: string) => orderWith(url) };
    const isLate = step === 'finalize' || step === 'download';
    for (const end of ['lost', 'dropped']) {
      const made = await openAttempt(t, { row: { ...ORDERED, step }, client });
      await putOrder(made);
      if (end === 'lost') {
        await made.db.deleteFrom('issuances').execute();
        await endFailedAttempt(made.attempt, new LeaseLostError());
      } else {
        await made.db.updateTable('domains').set({ removed_at: NOW }).execute();
        await dropIssuance(made.attempt);
        assert.equal(await challenges(made), 0);
      }
      assert.equal(await made.row(), undefined);
      assert.deepEqual(made.asked, ['getOrder order-1', 'abandon order-1']);
      assert.deepEqual(await orderState(made), [isLate ? 'issued' : 'ended'], step);
    }
  }
  const taken = await openAttempt(t, {
    row: ORDERED,
    client: { getOrder: async (url) => orderWith(url) },
  });
  await putOrder(taken);
  await taken.db.updateTable('issuances').set({ leased_by: 'other' }).execute();
  await dropIssuance(taken.attempt);
  assert.ok(await taken.row());
  assert.deepEqual([await orderState(taken), await challenges(taken)], [['open'], 1]);
});

test('a step is stored and shown with what belongs to it, or not at all', async (t) => {
  const { attempt, row, db, id } = await openAttempt(t);
  await goToStep(attempt, 'validate', { order_url: 'order-1' });
  const stored = await row();
  assert.deepEqual(
    [stored?.step, stored?.step_at, stored?.order_url],
    ['validate', NOW, 'order-1'],
  );
  assert.deepEqual({ ...attempt.row }, { ...stored });
  const last = (await eventsOf(db, id)).at(-1);
  assert.equal(last?.kind, 'certificate.step');
  assert.deepEqual(JSON.parse(last?.details ?? ''), { step: 'validate' });
  const fails = goToStep(attempt, 'finalize', {}, () => Promise.reject(new Error('no')));
  await assert.rejects(fails, /^Error: no$/);
  assert.equal((await row())?.step, 'validate');
  await db.updateTable('issuances').set({ leased_by: 'other' }).execute();
  await assert.rejects(recordProgress(attempt, { failures: 9 }), {
    name: 'LeaseLostError',
    message: 'the lease of an issuance was lost',
  });
  for (const step of ['account', 'order', 'challenge', 'validate', 'finalize', 'download']) {
    assert.equal(stepOf(step), step);
  }
  assert.throws(() => stepOf('dance'), { message: 'dance is not a step of an issuance' });
});
