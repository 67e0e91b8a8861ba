import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import {
  budgetOf,
  deferredUntil,
  type PlannedOrder,
} from '../../server/src/certificates/rate-limits.ts';
import { zoneOf } from '../../server/src/domains/hostname.ts';
import { endOrder, insertOrder, type OrderEnd } from '../../server/src/store/acme-orders.ts';
import type { Db } from '../../server/src/store/schema.ts';
import { openTestDatabase } from '../support/store.ts';
import { HOST } from './support/lab.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = 100 * DAY_MS;
const HERE = 'https://authority.test/directory';
const THERE = 'https://staging.test/directory';

interface Ordered {
  readonly hostname: string;
  readonly at: number;
  readonly projectId?: string;
  readonly isRenewal?: boolean;
  readonly isExempt?: boolean;
}

let made = 0;

/** An order that was made at an instant, and ended in the same. */
async function order(
  db: Db,
  end: OrderEnd | undefined,
  { hostname, at, projectId, isRenewal, isExempt }: Ordered,
) {
  made += 1;
  const domain_id = `dom_${made}`;
  await db.transaction().execute(async (trx) => {
    await insertOrder(trx, {
      directory_url: HERE,
      hostname,
      registered_domain: zoneOf(hostname),
      // Each of another one, so that only the limit in question is reached.
      project_id: projectId ?? domain_id,
      domain_id,
      is_renewal: isRenewal ? 1 : 0,
      is_exempt: isExempt ? 1 : 0,
      at,
    });
    if (end) await endOrder(trx, domain_id, end, at);
  });
}

const heldBack = (db: Db, hostname: string, planned: Partial<PlannedOrder> = {}) =>
  deferredUntil(
    db,
    {
      ...{ directoryUrl: HERE, hostname, projectId: 'mine', kind: 'first' },
      ...{ isExempt: false, ordersPer3Hours: 300, ...planned },
    },
    NOW,
  );

onBothEngines(
  "a name's budget is of the last hour, of one directory, and of all claims to it",
  async (t) => {
    const { db } = await openTestDatabase(t);
    const budget = (directoryUrl = HERE) => budgetOf(db, directoryUrl, HOST, NOW);
    const fail = (hostname: string, at: number) => order(db, 'failed', { hostname, at });
    assert.deepEqual(await budget(), { limit: 4, left: 4, nextSafeAt: NOW });
    for (const minutes of [70, 50, 40, 30]) await fail(HOST, NOW - minutes * 60_000);
    await fail('other.example.test', NOW - 1);
    assert.deepEqual(await budget(), { limit: 4, left: 1, nextSafeAt: NOW });
    assert.equal(await heldBack(db, HOST), undefined);
    await fail(HOST, NOW - 60_000);
    const nextSafeAt = NOW + 10 * 60_000;
    assert.deepEqual(await budget(), { limit: 4, left: 0, nextSafeAt });
    assert.equal((await heldBack(db, HOST))?.until, nextSafeAt);
    assert.equal((await budget(THERE)).left, 4);
  },
);

onBothEngines(
  'an account stays below 300 orders in three hours, with some kept for renewals',
  async (t) => {
    const { db } = await openTestDatabase(t);
    const put = (at: number) => order(db, 'ended', { hostname: `n${at}.test`, at });
    for (let n = 0; n < 269; n++) await put(NOW - HOUR_MS + n);
    assert.equal(await heldBack(db, HOST), undefined);
    await put(NOW - 2 * HOUR_MS);
    const held = await heldBack(db, HOST);
    assert.match(held?.why ?? '', /270 certificates were ordered/);
    assert.equal(held?.until, NOW + HOUR_MS, 'when the oldest of them counts no more');
    assert.equal(await heldBack(db, HOST, { kind: 'renewal' }), undefined);
    for (let n = 0; n < 25; n++) await put(NOW - n);
    assert.match((await heldBack(db, HOST, { kind: 'renewal' }))?.why ?? '', /295 certificates/);
  },
);

onBothEngines(
  'a registered domain stays below 50 new certificates a week; renewals go on and do not count',
  async (t) => {
    const { db } = await openTestDatabase(t);
    for (let n = 0; n < 45; n++) {
      await order(db, 'issued', { hostname: `n${n}.example.com`, at: NOW - 6 * DAY_MS });
      const at = NOW - DAY_MS;
      await order(db, 'failed', { hostname: `n${n}.example.net`, at });
      await order(db, 'issued', { hostname: `n${n}.example.net`, at, isRenewal: true });
    }
    const held = await heldBack(db, 'docs.example.com');
    assert.match(held?.why ?? '', /45 .* for example\.com/);
    assert.equal(held?.until, NOW + DAY_MS);
    assert.equal(await heldBack(db, 'docs.example.com', { kind: 'renewal' }), undefined);
    assert.equal(await heldBack(db, 'docs.notexample.com'), undefined);
    assert.equal(await heldBack(db, 'docs.example.net'), undefined, 'neither failed nor renewed');
  },
);

onBothEngines(
  'a name has four new certificates a week at most, whoever claims it; renewals go on and do not count',
  async (t) => {
    const { db } = await openTestDatabase(t);
    for (const days of [8, 6, 5, 4]) {
      await order(db, 'issued', { hostname: HOST, at: NOW - days * DAY_MS });
    }
    await order(db, 'issued', { hostname: HOST, at: NOW - 3 * DAY_MS, isRenewal: true });
    assert.equal(await heldBack(db, HOST), undefined);
    await order(db, undefined, { hostname: HOST, at: NOW - 1 });
    const held = await heldBack(db, HOST);
    assert.match(held?.why ?? '', /4 certificates for docs\.example\.test/);
    assert.equal(held?.until, NOW + DAY_MS);
    assert.equal(await heldBack(db, HOST, { kind: 'renewal' }), undefined);
  },
);

onBothEngines(
  'a name whose certificate is due again and again has six renewals an hour at most',
  async (t) => {
    const { db } = await openTestDatabase(t);
    for (const minutes of [70, 50, 40, 30, 20, 10]) {
      const at = NOW - minutes * 60_000;
      await order(db, 'issued', { hostname: HOST, at, isRenewal: true });
    }
    assert.equal(await heldBack(db, HOST, { kind: 'renewal' }), undefined);
    await order(db, 'ended', { hostname: HOST, at: NOW - 1, isRenewal: true });
    const held = await heldBack(db, HOST, { kind: 'renewal' });
    assert.match(held?.why ?? '', /6 renewals for docs\.example\.test/);
    assert.equal(held?.until, NOW + 10 * 60_000);
    const other = await heldBack(db, 'other.example.test', { kind: 'renewal' });
    assert.equal(other, undefined);
    assert.equal(await heldBack(db, HOST), undefined);
  },
);

onBothEngines("a project leaves others their share of the account's orders", async (t) => {
  const { db } = await openTestDatabase(t);
  const put = (end: OrderEnd, projectId: string, n: number) =>
    order(db, end, { hostname: `n${n}.${projectId}${n}.test`, at: NOW - 30 * 60_000, projectId });
  for (let n = 0; n < 20; n++) await put('issued', 'busy', n);
  for (let n = 0; n < 10; n++) await put('failed', 'failing', n);
  const busy = await heldBack(db, HOST, { projectId: 'busy' });
  assert.match(busy?.why ?? '', /this project ordered 20 certificates/);
  assert.equal(busy?.until, NOW + 30 * 60_000);
  assert.match(
    (await heldBack(db, HOST, { projectId: 'failing' }))?.why ?? '',
    /10 orders of this project failed/,
  );
  assert.equal(await heldBack(db, HOST, { projectId: 'busy', kind: 'renewal' }), undefined);
  assert.equal(await heldBack(db, HOST), undefined);
});

onBothEngines(
  'a renewal that the authority asks for is neither held back by its limits nor counted',
  async (t) => {
    const { db } = await openTestDatabase(t);
    const exempt = { isRenewal: true, isExempt: true };
    for (let n = 0; n < 300; n++) {
      await order(db, 'issued', { hostname: `n${n}.test`, at: NOW - 1, ...exempt });
    }
    assert.equal(await heldBack(db, HOST), undefined, 'not counted');
    for (let n = 0; n < 12; n++) {
      await order(db, 'ended', { hostname: `m${n}.test`, at: NOW - 1 });
    }
    const ten = { kind: 'renewal', ordersPer3Hours: 10 } as const;
    const held = await heldBack(db, HOST, ten);
    assert.match(held?.why ?? '', /^9 certificates were ordered/);
    assert.equal(held?.of, 'authority');
    const first = await heldBack(db, HOST, { ordersPer3Hours: 13 });
    assert.match(first?.why ?? '', /^11 certificates were ordered/, 'a tenth and more is left');
    assert.equal(await heldBack(db, HOST, { ...ten, isExempt: true }), undefined);
    assert.equal(await heldBack(db, HOST, { ordersPer3Hours: undefined }), undefined);
    // Our own limit holds all the same: a wrong window makes no loop.
    for (let n = 0; n < 6; n++) {
      await order(db, 'issued', { hostname: HOST, at: NOW - 1, ...exempt });
    }
    const looping = await heldBack(db, HOST, { kind: 'renewal', isExempt: true });
    assert.match(looping?.why ?? '', /6 renewals/);
    assert.equal(looping?.of, 'own');
  },
);
