import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { LabAuthority } from '@petstore/lab/certificate-authority/certificate-authority.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { assertTook } from '@petstore/test-support/within.ts';
import { connectAcmeClient } from '../../server/src/certificates/acme-client.ts';
import { acmeAgent, acmeTransport } from '../../server/src/certificates/acme-transport.ts';
import {
  cancelIssuance,
  ensureCertificate,
} from '../../server/src/certificates/request-certificate.ts';
import {
  accountKeyContext,
  certificateKeyContext,
  makePrivateKey,
} from '../../server/src/certificates/sealing.ts';
import { changeLeasedIssuance, leaseIssuance } from '../../server/src/store/issuances.ts';
import { openTestDatabase, putProject } from '../support/store.ts';
import {
  certificateOf,
  HOST,
  holdFirst,
  issuanceOf,
  type Lab,
  onBothAuthorities,
  openLab,
  putVerifiedDomain,
  SEALER,
  startLabAuthority,
  until,
  witness,
} from './support/lab.ts';

onBothEngines(
  'of all that reach for a certificate at once, one has it, until its lease ends',
  async (t) => {
    const { db } = await openTestDatabase(t);
    await putProject(db, 'petstore', 'pro');
    const id = await putVerifiedDomain(db, HOST, 1_000);
    const reach = (at: number) =>
      Promise.all(['a', 'b', 'c', 'd'].map((worker) => leaseIssuance(db, worker, at, at + 500)));
    const [lease, ...more] = (await reach(1_000)).filter((row) => row !== undefined);
    assert.ok(lease?.leased_by);
    assert.deepEqual(more, []);
    assert.ok(
      (await reach(1_400)).every((row) => row === undefined),
      'as long as the lease lasts',
    );
    const [next] = (await reach(1_500)).filter((row) => row !== undefined);
    assert.ok(next?.leased_by);
    const change = { step: 'order' };
    const isChanged = await changeLeasedIssuance(db, id, 'nobody', change);
    assert.equal(isChanged, false);
    assert.equal(await changeLeasedIssuance(db, id, next.leased_by, change), true);
  },
);

onBothEngines('two issuers and one name make one order', async (t) => {
  const lab = await openLab(t);
  const authority = await startLabAuthority(t, lab);
  const ids = await Promise.all(
    [HOST, 'api.example.test', 'www.example.test'].map((name) => putVerifiedDomain(lab.db, name)),
  );
  const issuers = [lab.issuer(authority), lab.issuer(authority), lab.issuer(authority)];
  for (const issuer of issuers) issuer.wake();
  for (const id of ids) await until(() => certificateOf(lab.db, id), 'the certificate');
  for (const issuer of issuers) await witness(lab, issuer);
  assert.equal(authority.counts.newOrder, ids.length + issuers.length);
  assert.equal(authority.issued, ids.length + issuers.length);
  assert.ok(authority.counts.newAccount >= 1);
  assert.equal((await lab.db.selectFrom('acme_accounts').selectAll().execute()).length, 1);
});

onBothEngines(
  'a name that is verified again while its certificate is made, or there, makes no other order',
  async (t) => {
    const lab = await openLab(t);
    const { onCall, release } = holdFirst('challenge');
    const authority = await startLabAuthority(t, lab, { onCall });
    const id = await putVerifiedDomain(lab.db);
    const verify = () =>
      lab.db
        .transaction()
        .execute((trx) => ensureCertificate(trx, { id, hostname: HOST }, Date.now()));
    const issuer = lab.issuer(authority);
    await until(async () => (await issuanceOf(lab.db, id))?.order_url, 'the order');
    await verify();
    release();
    await until(() => certificateOf(lab.db, id), 'the certificate');
    await verify();
    await witness(lab, issuer);
    assert.equal(authority.counts.newOrder, 2, 'with that of the witness');
    assert.equal(await issuanceOf(lab.db, id), undefined);
  },
);

/** Two orders for the name, and one for another, of a process that was killed while it waited for the answers. */
async function withLostOrders(t: TestContext, lab: Lab, authority: LabAuthority) {
  const { directoryUrl } = authority;
  const key = await makePrivateKey();
  const agent = acmeAgent(authority.caFile);
  cleanUp(t, () => agent.destroy());
  const send = acmeTransport(agent, new AbortController().signal);
  const client = await connectAcmeClient(
    directoryUrl,
    { key, url: undefined, external: undefined },
    send,
  );
  const url = await client.createAccount(undefined);
  const orders = [await client.newOrder(HOST, {}), await client.newOrder(HOST, {})];
  const foreign = await client.newOrder('other.example.test', {});

  await lab.db
    .insertInto('acme_accounts')
    .values({
      directory_url: directoryUrl,
      account_url: url,
      sealed_key: SEALER.seal(key, accountKeyContext(directoryUrl)),
      directory: '{}',
      created_at: 0,
    })
    .execute();
  const id = await putVerifiedDomain(lab.db);
  // As a process leaves it that was killed while it waited for the answer.
  const sealed_key = SEALER.seal(await makePrivateKey(), certificateKeyContext(id));
  const step = 'order';
  await lab.db
    .updateTable('issuances')
    .set({ directory_url: directoryUrl, step, sealed_key })
    .execute();
  return { id, client, orders, foreign };
}

onBothAuthorities(
  'orders whose answers were lost are found again: one is gone on with, others are given up',
  async (t, start) => {
    const lab = await openLab(t);
    const authority = await start(lab);
    const { id, client, orders, foreign } = await withLostOrders(t, lab, authority);
    lab.issuer(authority);
    await until(() => certificateOf(lab.db, id), 'the certificate');
    const statuses = await Promise.all(
      orders.map(async (order) => (await client.getOrder(order.url)).status),
    );
    assert.deepEqual(statuses.toSorted(), ['invalid', 'valid']);
    assert.equal((await client.listOrders()).length, 3, 'no other was made');
    assert.equal((await client.getOrder(foreign.url)).status, 'pending', 'of another name');
  },
);

test('an issuer that is stopped in the middle releases its leases, and the next one goes on', async (t) => {
  const lab = await openLab(t);
  const authority = await startLabAuthority(t, lab);
  authority.delay('finalize', 5_000);
  const id = await putVerifiedDomain(lab.db);
  const first = lab.issuer(authority);
  await until(async () => (await issuanceOf(lab.db, id))?.step === 'finalize', 'the order');
  const began = performance.now();
  await first.stop();
  await assertTook(performance.now() - began, 3_000);
  const row = await issuanceOf(lab.db, id);
  assert.equal(row?.leased_by, null);
  assert.equal(row?.failures, 0);
  authority.clearFaults();
  lab.issuer(authority);
  await until(() => certificateOf(lab.db, id), 'the certificate');
  assert.equal(authority.counts.newOrder, 1);
});

test('orders whose responses were lost are given up when the domain is removed meanwhile', async (t) => {
  const lab = await openLab(t);
  const authority = await startLabAuthority(t, lab);
  const { id, client, orders, foreign } = await withLostOrders(t, lab, authority);
  const at = Date.now();
  await lab.db.transaction().execute(async (trx) => {
    await trx.updateTable('domains').set({ removed_at: at }).execute();
    await cancelIssuance(trx, { id }, at);
  });
  lab.issuer(authority);
  await until(async () => !(await issuanceOf(lab.db, id)), 'the end of the issuance');
  for (const { url } of orders) assert.equal((await client.getOrder(url)).status, 'invalid');
  assert.equal((await client.getOrder(foreign.url)).status, 'pending', 'of another name');
});
