import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { assertTook, timeUntil } from '@petstore/test-support/within.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import { setPlan } from '../support/project.ts';
import { assertError, json } from '../support/service.ts';
import { startAuthorityService, WITHOUT_AUTHORITY } from './support/authority-service.ts';
import {
  addDomain,
  createRecords,
  eventsOf,
  getDomain,
  readyProject,
  startDomainService,
  verifiedDomain,
  verify,
  verifyOnce,
} from './support/domains.ts';

const HOST = 'docs.example.test';

test('a name that another project holds is theirs until a TXT record proves ownership', async (t) => {
  const { root, dns } = await startDomainService(t);
  await readyProject(root, 'former');
  await readyProject(root, 'new');
  await verifiedDomain({ dns }, root, 'former', HOST);

  const claim = await addDomain(root, 'new', HOST);
  assert.equal(claim.needsProof, true);
  assert.deepEqual(
    claim.records.map(({ type }) => type),
    ['CNAME', 'TXT'],
  );
  assert.ok((await eventsOf(root, 'former', HOST)).includes('claimed_elsewhere'), 'they are told');

  const zone = dns.zone('example.test');
  const [cname, txt] = claim.records;
  zone.setRecords(HOST, 'CNAME', [cname?.value ?? '']);
  const unproven = await verify(root, 'new', HOST);
  assert.equal(unproven.verdict?.code, 'ownership_missing');
  assert.equal((await getDomain(root, 'former', HOST)).state, 'verified', 'they keep it');

  zone.setRecords(txt?.name ?? '', 'TXT', [txt?.value ?? '']);
  assert.equal((await verify(root, 'new', HOST)).state, 'verified');
  const lost = await getDomain(root, 'former', HOST);
  assert.deepEqual([lost.state, lost.primary, lost.certificate], ['unverified', false, null]);
  assert.ok(
    (await eventsOf(root, 'former', HOST)).includes('lost'),
    'and are told that it is gone',
  );
});

test('a TXT record that proved a lost claim proves nothing any more', async (t) => {
  const { root, dns } = await startDomainService(t);
  await readyProject(root, 'former');
  await readyProject(root, 'new');
  const apex = 'example.test';
  const former = await verifiedDomain({ dns }, root, 'former', apex);
  const claim = await addDomain(root, 'new', apex);
  const proofs = [former, claim].map(({ records }) => records[1]?.value ?? '');
  dns.zone(apex).setRecords(`_docs-challenge.${apex}`, 'TXT', proofs);
  assert.equal((await verify(root, 'new', apex)).state, 'verified');

  const lost = await getDomain(root, 'former', apex);
  assert.deepEqual([lost.verdict, lost.checkedAt], [null, null], 'what was found is no longer so');
  assert.notEqual(lost.records[1]?.value, proofs[0]);
  const replayed = await verify(root, 'former', apex);
  assert.equal(replayed.verdict?.code, 'ownership_missing');
  assert.equal((await getDomain(root, 'new', apex)).state, 'verified');
});

test('a check under way while a name passes to another project does not win it back by the void proof', async (t) => {
  const { root, dns } = await startDomainService(t);
  await readyProject(root, 'former');
  await readyProject(root, 'new');

  /** Whether the check was still under way then: a busy machine may take longer than it waits for name servers. */
  const playFor = async (apex: string) => {
    const proofName = `_docs-challenge.${apex}`;
    dns.addZone(apex);
    const former = await verifiedDomain({ dns }, root, 'former', apex);
    const claim = await addDomain(root, 'new', apex);
    const proofs = [former, claim].map(({ records }) => records[1]?.value ?? '');
    dns.zone(apex).setRecords(proofName, 'TXT', proofs);

    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    dns.injectFault({ until }, { exactName: former.records[0]?.value ?? '' });
    const before = dns.queries.length;
    let isOver = false;
    const underWay = verifyOnce(root, 'former', apex).finally(() => {
      isOver = true;
    });
    await timeUntil(async () => dns.queries.slice(before).includes(`${proofName} TXT`));
    assert.equal((await verify(root, 'new', apex)).state, 'verified');
    const wasUnderWay = !isOver;
    dns.clearFaults();
    release();
    const { state, verdict } = await underWay;
    if (wasUnderWay) assert.deepEqual([state, verdict?.code], ['unverified', 'ownership_missing']);
    assert.equal((await getDomain(root, 'new', apex)).state, 'verified');
    return wasUnderWay;
  };
  for (let names = 1; !(await playFor(`race${names}.test`)); names++)
    assert.ok(names < 5, 'no check was under way for long enough');
});

test('the target of a claim cannot become the address of a project', async (t) => {
  const { root } = await startDomainService(t);
  await readyProject(root, 'pets');
  const { records } = await addDomain(root, 'pets', HOST);
  const slug = records[0]?.value.split('.')[0] ?? '';
  const made = await root.call('POST', '/api/projects', { name: 'x', slug });
  assert.match(await assertError(made, 409, 'conflict'), /taken/);
  const moved = await root.call('PATCH', '/api/projects/pets', { slug });
  assert.match(await assertError(moved, 409, 'conflict'), /taken/);

  await root.call('DELETE', `/api/projects/pets/domains/${HOST}`);
  const afterwards = await root.call('PATCH', '/api/projects/pets', { slug });
  assert.match(
    await assertError(afterwards, 409, 'conflict'),
    /taken/,
    'nor once the claim is gone',
  );
  await root.call('DELETE', '/api/projects/pets', { confirm: 'pets' });
  const atLast = await root.call('POST', '/api/projects', { name: 'x', slug });
  assert.match(await assertError(atLast, 409, 'conflict'), /taken/, 'nor once its project is');
});

onBothEngines(
  'a project whose name servers never answer does not keep the others waiting',
  async (t) => {
    const { root, dns } = await startDomainService(t);
    await readyProject(root, 'slow');
    await readyProject(root, 'quick');
    dns.injectFault('drop', { name: 'other.test' });
    await setPlan(root, 'slow', 'enterprise');
    for (let n = 0; n < 40; n++) await addDomain(root, 'slow', `docs-${n}.other.test`);
    await addDomain(root, 'quick', HOST);
    const ms = await timeUntil(
      async () => (await getDomain(root, 'quick', HOST)).checkedAt !== null,
    );
    await assertTook(ms, 10_000, 'the check of another');
  },
);

onBothEngines('of two projects that verify one name at the same time, one gets it', async (t) => {
  const { root, dns } = await startDomainService(t);
  const slugs = ['left', 'right'];
  for (const slug of slugs) {
    await readyProject(root, slug);
    await addDomain(root, slug, HOST);
  }
  // A DNS that says whatever each of them wants to hear.
  const claims = await Promise.all(slugs.map((slug) => getDomain(root, slug, HOST)));
  const targets = claims.map(({ records }) => records[0]?.value ?? '');
  const zone = dns.zone('example.test');
  for (let round = 0; round < 3; round++) {
    zone.setRecords(HOST, 'CNAME', [targets[round % 2] ?? '']);
    await Promise.all(
      slugs.map((slug) => root.call('POST', `/api/projects/${slug}/domains/${HOST}/verify`)),
    );
    const states = await Promise.all(
      slugs.map(async (slug) => (await getDomain(root, slug, HOST)).state),
    );
    assert.deepEqual(
      states,
      ['verified', 'unverified'],
      'the first, for the other has not proven anything',
    );
  }
});

test('a removed name stays reserved while its DNS leads here, and no longer', async (t) => {
  const clock = { at: Date.now() };
  const { root, dns, db } = await startDomainService(t, {}, { now: () => clock.at });
  await readyProject(root, 'former');
  await readyProject(root, 'new');
  const domain = await verifiedDomain({ dns }, root, 'former', HOST);
  const path = `/api/projects/former/domains/${HOST}`;
  const hsts = { maxAgeSeconds: 300, includeSubdomains: false };
  assert.equal((await root.call('PATCH', path, { hsts })).status, 200);
  assert.equal((await root.call('DELETE', path)).status, 204);
  await assertError(await root.call('GET', path), 404, 'not_found');

  const claim = await addDomain(root, 'new', HOST);
  assert.equal(claim.needsProof, true, 'reserved');
  // The check that adding brings about is not to be quicker than the answer.
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  dns.injectFault({ until });
  const again = await addDomain(root, 'former', HOST);
  dns.clearFaults();
  release();
  assert.equal(again.hsts, null, 'as any new one has it');
  assert.equal(again.state, 'unverified');
  assert.equal(again.verdict, null, 'what was found of it before is not shown');
  assert.deepEqual(
    again.records,
    domain.records,
    'the same records as before: they are there still',
  );
  assert.equal((await verify(root, 'former', HOST)).state, 'verified');

  assert.equal((await root.call('DELETE', path)).status, 204);
  dns.zone('example.test').removeRecords(HOST);
  const needsProof = async () => (await getDomain(root, 'new', HOST)).needsProof;
  const isChecked = async () => {
    const removed = db
      .selectFrom('domain_checks')
      .innerJoin('domains', 'domains.id', 'domain_checks.domain_id')
      .where('removed_at', 'is not', null);
    const check = await removed.select('checked_at').executeTakeFirst();
    return check?.checked_at === clock.at;
  };
  // Where a name server is too slow on a busy machine, the next look tells.
  for (let looks = 1; await needsProof(); looks++) {
    assert.ok(looks <= 5, 'it was never released');
    clock.at += 1.2 * 3_600_000;
    await timeUntil(async () => !(await needsProof()) || isChecked());
  }
});

test('with the primary domain goes its place, to the next that is verified', async (t) => {
  const { root, dns } = await startDomainService(t);
  await readyProject(root, 'pets');
  const first = await verifiedDomain({ dns }, root, 'pets', 'one.example.test');
  await verifiedDomain({ dns }, root, 'pets', 'two.example.test');
  await addDomain(root, 'pets', 'three.example.test');
  assert.equal(first.primary, true);
  const primary = (name: string) => `/api/projects/pets/domains/${name}/primary`;
  const early = await root.call('POST', primary('three.example.test'));
  assert.match(await assertError(early, 409, 'conflict'), /not verified/);
  assert.equal((await root.call('POST', primary('two.example.test'))).status, 200);
  assert.equal((await getDomain(root, 'pets', 'one.example.test')).primary, false);
  assert.equal(
    (await root.call('DELETE', '/api/projects/pets/domains/two.example.test')).status,
    204,
  );
  assert.equal((await getDomain(root, 'pets', 'one.example.test')).primary, true);
});

test('a name added over and over tells its holder once', async (t) => {
  const { root, dns } = await startDomainService(t);
  await readyProject(root, 'former');
  await verifiedDomain({ dns }, root, 'former', HOST);
  await readyProject(root, 'new');
  for (let times = 0; times < 3; times++) {
    await addDomain(root, 'new', HOST);
    assert.equal((await root.call('DELETE', `/api/projects/new/domains/${HOST}`)).status, 204);
  }
  const told = (await eventsOf(root, 'former', HOST)).filter(
    (kind) => kind === 'claimed_elsewhere',
  );
  assert.equal(told.length, 1);
});

test('who takes a name over has its certificate in the same moment, and visitors find HTTPS all the time', {
  skip: WITHOUT_AUTHORITY,
}, async (t) => {
  const { root, dns, ca, httpsPort, db } = await startAuthorityService(t);
  await readyProject(root, 'new');
  // By DNS-01: nobody listens at the ports of the other challenges.
  const asked = { hostname: HOST, prepare: true };
  const added = await root.call('POST', '/api/projects/pets/domains', asked);
  createRecords(dns, await json<Domain>(added, 201));
  await verify(root, 'pets', HOST);
  await timeUntil(async () => (await getDomain(root, 'pets', HOST)).state === 'active');
  const before = (await getDomain(root, 'pets', HOST)).certificate;
  const status = () => statusOverTls({ ca, port: httpsPort, host: HOST });
  assert.equal(await status(), 200);

  createRecords(dns, await addDomain(root, 'new', HOST));
  const taken = await verify(root, 'new', HOST);
  assert.deepEqual([taken.state, taken.certificate, taken.issuance], ['active', before, null]);
  assert.equal(await status(), 200);
  const orders = await db.selectFrom('acme_orders').select('id').execute();
  assert.equal(orders.length, 1, 'the authority was not asked again');
  assert.equal((await getDomain(root, 'pets', HOST)).certificate, null);
});

/** The status of the start page, its certificate checked. */
async function statusOverTls({ ca, port, host }: { ca: string; port: number; host: string }) {
  const at = { host: '127.0.0.1', port, ca, servername: host, agent: false };
  const request = get({ ...at, headers: { host } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}
