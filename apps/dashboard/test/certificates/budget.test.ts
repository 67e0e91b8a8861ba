import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { budgetOf, heldBackUntil } from '../../server/src/certificates/budget.ts';
import { putCertificate } from '../../server/src/store/certificates.ts';
import { noteIssuanceFailure } from '../../server/src/store/issuance-failures.ts';
import type { Db } from '../../server/src/store/open-database.ts';
import { openTestDatabase, putProject } from '../support/store.ts';
import { HOST, putVerifiedDomain } from './support/lab.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = 100 * DAY_MS;
const HERE = 'https://authority.test/directory';
const THERE = 'https://staging.test/directory';

const fail = (db: Db, hostname: string, at: number, directoryUrl = HERE) =>
  db.transaction().execute((trx) => noteIssuanceFailure(trx, directoryUrl, hostname, at));

const heldBack = (db: Db, hostname: string, isAriRenewal = false) =>
  heldBackUntil(db, HERE, hostname, { isAriRenewal, now: NOW });

/** A domain that was given a certificate at an instant. */
async function putIssued(db: Db, hostname: string, at: number): Promise<void> {
  const domain_id = await putVerifiedDomain(db, hostname, at);
  await db.deleteFrom('issuances').execute();
  const life = { not_before: at, not_after: at + 90 * DAY_MS, issued_at: at };
  await db.transaction().execute((trx) =>
    putCertificate(trx, {
      ...life,
      domain_id,
      hostname,
      chain: '',
      sealed_key: '',
      issuer: '',
      serial: hostname,
      renew_at: at + 60 * DAY_MS,
    }),
  );
}

onBothEngines(
  "a name's budget is of the last hour, of one directory, and of all claims to it",
  async (t) => {
    const { db } = await openTestDatabase(t);
    const budget = (directoryUrl = HERE) => budgetOf(db, directoryUrl, HOST, NOW);
    assert.deepEqual(await budget(), { limit: 4, left: 4, nextSafeAt: NOW });
    const minutesAgo = [70, 50, 40, 30];
    for (const minutes of minutesAgo) await fail(db, HOST, NOW - minutes * 60_000);
    await fail(db, 'other.example.test', NOW - 1);
    assert.deepEqual(await budget(), { limit: 4, left: 1, nextSafeAt: NOW });
    assert.equal(await heldBack(db, HOST), undefined);
    await fail(db, HOST, NOW - 60_000);
    const nextSafeAt = NOW + 10 * 60_000;
    assert.deepEqual(await budget(), { limit: 4, left: 0, nextSafeAt });
    assert.equal((await heldBack(db, HOST))?.until, nextSafeAt);
    assert.equal((await budget(THERE)).left, 4);
  },
);

onBothEngines(
  'an account stays below 300 orders in three hours, whatever their names',
  async (t) => {
    const { db } = await openTestDatabase(t);
    await putProject(db, 'petstore', 'pro');
    await db.transaction().execute(async (trx) => {
      for (let at = 0; at < 269; at++) {
        const failure = { directory_url: HERE, hostname: `n${at}.test`, at: NOW - HOUR_MS };
        await trx.insertInto('issuance_failures').values(failure).execute();
      }
    });
    assert.equal(await heldBack(db, HOST), undefined);
    await putIssued(db, 'one.example.test', NOW - 2 * HOUR_MS);
    assert.match((await heldBack(db, HOST))?.why ?? '', /270 certificates were ordered/);
    await db
      .updateTable('certificates')
      .set({ issued_at: NOW - 4 * HOUR_MS })
      .execute();
    assert.equal(await heldBack(db, HOST), undefined);
  },
);

onBothEngines(
  'a registered domain stays below 50 new certificates a week; renewals by ARI go on',
  async (t) => {
    const { db } = await openTestDatabase(t);
    await putProject(db, 'petstore', 'pro');
    for (let at = 0; at < 45; at++) await putIssued(db, `n${at}.example.com`, NOW - 6 * DAY_MS);
    assert.match((await heldBack(db, 'docs.example.com'))?.why ?? '', /45 .* for example\.com/);
    assert.equal(await heldBack(db, 'docs.example.com', true), undefined);
    assert.equal(await heldBack(db, 'docs.notexample.com'), undefined);
    await db
      .updateTable('certificates')
      .set({ issued_at: NOW - 8 * DAY_MS })
      .execute();
    assert.equal(await heldBack(db, 'docs.example.com'), undefined);
  },
);
