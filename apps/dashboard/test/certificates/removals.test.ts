import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { CertificateAuthorityOptions } from '@petstore/lab/certificate-authority/certificate-authority.ts';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { addressesOf } from '../../server/src/addresses.ts';
import { parseProblem } from '../../server/src/certificates/problem.ts';
import {
  cancelCertificate,
  cancelIssuance,
  ensureCertificate,
} from '../../server/src/certificates/request-certificate.ts';
import { readConfig } from '../../server/src/config.ts';
import { presentDomain } from '../../server/src/domains/present-domain.ts';
import { putChallenge } from '../../server/src/store/acme-challenges.ts';
import { insertOrder } from '../../server/src/store/acme-orders.ts';
import { findDomainById, updateDomain } from '../../server/src/store/domains.ts';
import { leaseIssuance } from '../../server/src/store/issuances.ts';
import { deleteProject } from '../../server/src/store/projects.ts';
import type { Db } from '../../server/src/store/schema.ts';
import { openTestDatabase, putProject } from '../support/store.ts';
import { clock } from './support/clock.ts';
import {
  certificateOf,
  HOST,
  holdFirst,
  issuanceOf,
  type Lab,
  openLab,
  putCertificateRow,
  putVerifiedDomain,
  startLabAuthority,
  until,
  witness,
} from './support/lab.ts';

// What is left of certificates under way, and of what was counted, when domains and projects go.

async function setUp(t: TestContext, options: Partial<CertificateAuthorityOptions> = {}) {
  const time = clock();
  const lab = await openLab(t);
  const authority = await startLabAuthority(t, lab, { now: time.now, ...options });
  return { lab, authority, time };
}

/** Removes a domain, with its reservation. */
const remove = ({ db }: Lab, id: string, at: number) =>
  db.transaction().execute(async (trx) => {
    await updateDomain(trx, id, { removed_at: at, verified_at: null });
    await cancelIssuance(trx, { id }, at);
  });

/** Adds it again, and verifies it. */
const addAgain = ({ db }: Lab, id: string, at: number) =>
  db.transaction().execute(async (trx) => {
    await updateDomain(trx, id, { removed_at: null, verified_at: at });
    await ensureCertificate(trx, { id, hostname: HOST }, at);
  });

test('a name that is removed and added again has the certificate that it had, and no order is made', async (t) => {
  const { lab, authority, time } = await setUp(t);
  const id = await putVerifiedDomain(lab.db);
  const issuer = lab.issuer(authority, { now: time.now });
  const { serial } = await until(() => certificateOf(lab.db, id), 'the certificate');
  for (let round = 0; round < 3; round++) {
    await remove(lab, id, time.now());
    await addAgain(lab, id, time.now());
    assert.equal(await issuanceOf(lab.db, id), undefined);
  }
  await witness(lab, issuer, time.now());
  assert.equal((await certificateOf(lab.db, id))?.serial, serial);
  assert.equal(authority.counts.newOrder, 2, 'with that of the witness');
});

test('a name that was added again shows its certificate when it is verified, and not before', async (t) => {
  const { lab, authority, time } = await setUp(t);
  const id = await putVerifiedDomain(lab.db);
  lab.issuer(authority, { now: time.now });
  await until(() => certificateOf(lab.db, id), 'the certificate');
  const config = readConfig({});
  const ports = { dashboard: 1, edge: 2, edgeHttps: 3 };
  const deps = { db: lab.db, now: time.now, config, addresses: () => addressesOf(config, ports) };
  const shown = async () => {
    const domain = await findDomainById(lab.db, id);
    assert.ok(domain);
    const { state, certificate } = await presentDomain(deps, domain, { can: [] });
    return [state, certificate !== null];
  };
  assert.deepEqual(await shown(), ['active', true]);
  await remove(lab, id, time.now());
  await lab.db.transaction().execute((trx) => updateDomain(trx, id, { removed_at: null }));
  assert.deepEqual(await shown(), ['unverified', false]);
  await addAgain(lab, id, time.now());
  assert.deepEqual(await shown(), ['active', true]);
});

test('however often its domain is deleted, a name has four certificates a week, and is told until when it waits', async (t) => {
  const { lab, authority, time } = await setUp(t);
  const issuer = lab.issuer(authority, { now: time.now });
  const begin = time.now();
  for (let round = 0; round < 4; round++) {
    const id = await putVerifiedDomain(lab.db, HOST, time.now());
    issuer.wake();
    await until(() => certificateOf(lab.db, id), 'the certificate');
    await lab.db.deleteFrom('domains').execute();
  }
  const id = await putVerifiedDomain(lab.db, HOST, time.now());
  issuer.wake();
  const held = await until(async () => {
    const row = await issuanceOf(lab.db, id);
    return row && row.last_problem !== null && row.leased_by === null && row;
  }, 'an issuance that is held back');
  const problem = parseProblem(held.last_problem);
  assert.equal(problem?.type, 'budget');
  assert.match(problem?.detail ?? '', /^4 certificates for docs\.example\.test/);
  const week = 7 * 24 * 3_600_000;
  assert.ok((held.next_attempt_at ?? 0) >= begin + week - 1_000);
  assert.equal(problem?.retryAt, held.next_attempt_at);
  assert.equal(authority.counts.newOrder, 4);
  time.to((held.next_attempt_at ?? 0) + 1);
  issuer.wake();
  await until(() => certificateOf(lab.db, id), 'the certificate after a week');
});

test('a project that is deleted in the middle leaves no challenge and no open order', async (t) => {
  const { onCall } = holdFirst('challenge');
  const { lab, authority, time } = await setUp(t, { onCall });
  await putVerifiedDomain(lab.db);
  const issuer = lab.issuer(authority, { now: time.now });
  await until(async () => authority.counts.challenge > 0, 'the challenge');
  // The process that had it is gone with what it knew of the order.
  await issuer.stop();
  await lab.db.transaction().execute((trx) => deleteProject(trx, 'petstore'));
  assert.deepEqual(await lab.db.selectFrom('acme_challenges').selectAll().execute(), []);
  assert.equal(authority.ordersByStatus().pending, 1);
  lab.issuer(authority, { now: time.now });
  await until(async () => authority.ordersByStatus().pending === 0, 'the end of the order');
  const orders = await lab.db.selectFrom('acme_orders').select(['state', 'project_id']).execute();
  const counted = orders.map(({ state, project_id }) => `${state} ${project_id}`);
  assert.deepEqual(counted, ['ended petstore']);
});

test('an attempt whose lease was taken writes nothing, though the same process goes on with the name', async (t) => {
  const { onCall, release } = holdFirst('newOrder');
  const { lab, authority, time } = await setUp(t, { onCall });
  const id = await putVerifiedDomain(lab.db);
  const issuer = lab.issuer(authority, { now: time.now });
  await until(async () => authority.counts.newOrder === 1, 'the order');
  const before = (await issuanceOf(lab.db, id))?.leased_by;
  await remove(lab, id, time.now());
  await addAgain(lab, id, time.now());
  issuer.wake();
  const after = await until(async () => {
    const row = await issuanceOf(lab.db, id);
    return row?.leased_by !== before && (row?.leased_by ?? undefined);
  }, 'another lease');
  assert.equal(after.split(' ')[1], before?.split(' ')[1], 'of the same process');
  release();
  await until(() => certificateOf(lab.db, id), 'the certificate');
  await until(async () => {
    const { pending, ready } = authority.ordersByStatus();
    return pending + ready === 0;
  }, 'the end of the lost order');
});

test('a name that is added again while its order is being abandoned has a certificate', async (t) => {
  const begun = holdFirst('challenge');
  const abandoned = holdFirst('order');
  let isRemoved = false;
  const { lab, authority, time } = await setUp(t, {
    onCall: (call, phase) =>
      begun.onCall(call, phase) ?? (isRemoved ? abandoned.onCall(call, phase) : undefined),
  });
  const id = await putVerifiedDomain(lab.db);
  const issuer = lab.issuer(authority, { now: time.now });
  await until(async () => authority.counts.challenge === 1, 'the challenge');
  const orders = authority.counts.order;
  await remove(lab, id, time.now());
  isRemoved = true;
  issuer.wake();
  await until(async () => authority.counts.order > orders, 'the end of the order');
  await addAgain(lab, id, time.now());
  begun.release();
  abandoned.release();
  await until(() => certificateOf(lab.db, id), 'the certificate');
});

/** A claim of another project to the name, which holds nothing. */
async function putClaim(db: Db, project: string): Promise<string> {
  await putProject(db, project, 'pro');
  const id = `dom_${project}`;
  await db
    .insertInto('domains')
    .values({
      ...{ id, project_id: project, hostname: HOST, target_label: id, proof: '', link_secret: id },
      ...{ holds: 0, created_at: 0, created_by_email: '', hsts_include_subdomains: 0 },
    })
    .execute();
  return id;
}

onBothEngines("a claim to a name takes no other claim's challenges away", async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'petstore', 'pro');
  const holder = await putVerifiedDomain(db);
  const other = await putClaim(db, 'mallory');
  await db.transaction().execute(async (trx) => {
    const challenge = { hostname: HOST, type: 'http-01' as const, created_at: 0 };
    await putChallenge(trx, {
      ...challenge,
      domain_id: holder,
      token: 'a',
      key_authorization: 'a',
    });
    await putChallenge(trx, { ...challenge, domain_id: other, token: 'b', key_authorization: 'b' });
    await cancelCertificate(trx, { id: other }, 1);
  });
  const left = async () =>
    (await db.selectFrom('acme_challenges').select('token').execute()).map(({ token }) => token);
  assert.deepEqual(await left(), ['a']);
  await db.deleteFrom('domains').where('id', '=', holder).execute();
  assert.deepEqual(await left(), [], 'gone with the claim');
});

onBothEngines('projects take turns: who ordered least of late comes first', async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'petstore', 'pro');
  const busy: string[] = [];
  for (const n of [1, 2, 3]) busy.push(await putVerifiedDomain(db, `n${n}.example.test`, n));
  const quiet = await putClaim(db, 'quiet');
  await db.transaction().execute(async (trx) => {
    const domain_id = busy[0] ?? '';
    const name = { hostname: 'n1.example.test', registered_domain: 'example.test' };
    const order = { ...name, domain_id, directory_url: 'x', project_id: 'petstore', is_renewal: 0 };
    await insertOrder(trx, { ...order, at: 10 });
    await ensureCertificate(trx, { id: quiet, hostname: HOST }, 20);
  });
  const next = await leaseIssuance(db, 'worker', 30, 1_000);
  assert.equal(next?.domain_id, quiet, 'though it has waited less');
  const later = await leaseIssuance(db, 'worker', 30, 1_000);
  assert.equal(later?.domain_id, busy[0]);
});

onBothEngines('who has no valid certificate comes first, an expired one too', async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'petstore', 'pro');
  const put = (name: string, at: number) => putVerifiedDomain(db, `${name}.example.test`, at);
  const [valid, expired, without] = [
    await put('valid', 1),
    await put('expired', 2),
    await put('without', 3),
  ];
  await db
    .updateTable('issuances')
    .set({ kind: 'renewal' })
    .where('domain_id', '!=', without)
    .execute();
  await putCertificateRow(db, valid, { not_after: 31 });
  await putCertificateRow(db, expired, { not_after: 30 });
  const next = async () => (await leaseIssuance(db, 'worker', 30, 1_000))?.domain_id;
  assert.deepEqual([await next(), await next(), await next()], [expired, without, valid]);
});
