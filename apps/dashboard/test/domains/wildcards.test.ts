import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { connect as connectHttp2 } from 'node:http2';
import { type TestContext, test } from 'node:test';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { BranchPreview } from '../../server/src/deploys/branch-preview.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { deploy, documentTitled } from '../support/project.ts';
import { assertError, json, type Visitor } from '../support/service.ts';
import { fetchFromSite } from '../support/site.ts';
import { startAuthorityService, WITHOUT_AUTHORITY } from './support/authority-service.ts';
import {
  addDomain,
  checksEnded,
  createRecords,
  getDomain,
  readyProject,
  startDomainService,
  verifiedDomain,
  verify,
} from './support/domains.ts';

const WILDCARD = '*.docs.example.test';
const ZONE = 'acme.docs.localhost';
const DNS_ZONE = { name: ZONE, hosts: ['127.0.0.1'], port: 0, addresses: ['127.0.0.1'] };

/** Versions v1.0 and v2, the default, and the branch feature/x. */
async function deployAll(root: Visitor): Promise<void> {
  for (const version of ['v1.0', 'v2'])
    await deploy(root, 'pets', documentTitled(version), `?version=${version}`);
  await json(await root.call('PATCH', '/api/projects/pets/versions/v2', { default: true }));
  await deploy(root, 'pets', documentTitled('Branch'), '?branch=feature/x');
}

async function labelOf(root: Visitor): Promise<string> {
  const { items } = await json<Page<BranchPreview>>(
    await root.call('GET', '/api/projects/pets/previews'),
  );
  const [, label = ''] = /--([^.]+)\./.exec(String(items[0]?.url)) ?? [];
  return label;
}

test('a wildcard is proven by the record of its challenges, and serves versions and previews at their labels over HTTPS', {
  skip: WITHOUT_AUTHORITY,
}, async (t) => {
  const { root, dns, ca, httpsPort } = await startAuthorityService(t);
  await deployAll(root);
  const added = await addDomain(root, 'pets', WILDCARD);
  assert.deepEqual([added.isWildcard, added.isApex, added.prepare], [true, false, true]);
  const label = added.records[1]?.value.split('.')[0];
  assert.deepEqual(
    added.records.map(({ type, name, host, value }) => [type, name, host, value]),
    [
      ['CNAME', '_acme-challenge.docs.example.test', '_acme-challenge.docs', `${label}.${ZONE}`],
      ['CNAME', WILDCARD, '*.docs', `${label}.docs.localhost`],
    ],
  );
  createRecords(dns, added);
  const verified = await verify(root, 'pets', WILDCARD);
  assert.deepEqual(
    [verified.verdict?.reason, verified.pointsHere, verified.primary],
    ['verified', true, false],
  );
  await timeUntil(async () => (await getDomain(root, 'pets', WILDCARD)).state === 'active');

  const ask = async (host: string, path = '/openapi.json') => {
    const session = connectHttp2(`https://127.0.0.1:${httpsPort}`, { ca, servername: host });
    const request = session.request({ ':path': path, ':authority': host });
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    request.on('response', resolve).on('error', reject);
    session.on('error', reject);
    const headers = await promise;
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    session.close();
    return { status: headers[':status'], headers, body };
  };
  const titleOf = async (host: string) => JSON.parse((await ask(host)).body).info.title;
  assert.equal(await titleOf('v1-0.docs.example.test'), 'v1.0', 'a label has no dots');
  assert.equal(await titleOf('v2.docs.example.test'), 'v2');
  const preview = `${await labelOf(root)}.docs.example.test`;
  assert.equal(await titleOf(preview), 'Branch');
  assert.equal((await ask(preview, '/')).headers['x-robots-tag'], 'noindex');
  assert.match((await ask(preview, '/robots.txt')).body, /Disallow: \/\n/);
  for (const nothing of ['nothing', 'feature-x', 'www']) {
    const { status, body } = await ask(`${nothing}.docs.example.test`, '/');
    assert.deepEqual([status, body], [404, 'There is no site at this address.\n']);
  }
  // RFC 9525, section 6.3: a wildcard is for one label.
  await assert.rejects(ask('a.v2.docs.example.test'));
  await assert.rejects(ask('docs.example.test'));

  assert.equal((await root.call('DELETE', `/api/projects/pets/versions/v1.0`)).status, 204);
  const retired = await ask('v1-0.docs.example.test', '/x?a=b');
  assert.equal(retired.status, 301);
  assert.match(String(retired.headers.location), /\/v1\.0\/x\?a=b$/);
  assert.equal((await root.call('DELETE', `/api/projects/pets/domains/${WILDCARD}`)).status, 204);
  await assert.rejects(ask('v2.docs.example.test'));
});

async function setUp(t: TestContext) {
  const service = await startDomainService(t, { dnsZone: DNS_ZONE });
  const { root, dns, edgePort } = service;
  for (const slug of ['pets', 'others']) await readyProject(root, slug);
  await deployAll(root);
  /** The title of what a host shows over plain HTTP, or its status. */
  const shown = async (host: string) => {
    const { status, body } = await fetchFromSite(`http://${host}:${edgePort}/openapi.json`);
    return status === 200 ? JSON.parse(body).info.title : status;
  };
  return { ...service, root, dns, shown };
}

test('the most specific name wins, and a wildcard neither swallows names of others nor keeps others from proving one', async (t) => {
  const { root, dns, shown, db } = await setUp(t);
  await verifiedDomain({ dns }, root, 'pets', WILDCARD);
  const name = 'v2.docs.example.test';
  assert.equal(await shown(name), 'v2');

  const claim = await addDomain(root, 'others', name);
  assert.equal(claim.needsProof, false, 'nobody holds that name itself');
  const { verdict } = await verify(root, 'others', name);
  assert.equal(`${verdict?.code} ${verdict?.reason}`, 'no_record wildcard');
  assert.deepEqual(verdict?.remove, [], 'that of the wildcard may stay');
  assert.equal(await shown(name), 'v2', 'a claim alone takes nothing');
  createRecords(dns, claim);
  assert.equal((await verify(root, 'others', name)).verdict?.code, 'verified');
  assert.equal(await shown(name), 'others');

  assert.equal((await root.call('DELETE', `/api/projects/others/domains/${name}`)).status, 204);
  assert.equal(await shown(name), 404, 'reserved for those who had it, while its DNS leads there');
  // One that still sees the record would write over when the next one is due.
  await checksEnded(db);
  dns.zone('example.test').setRecords(name, 'CNAME', []);
  await db.updateTable('domain_checks').set({ next_check_at: 0 }).execute();
  await timeUntil(async () => (await shown(name)) === 'v2');
});

test('a name of the same project has a certificate of its own, and until then that of the wildcard', async (t) => {
  const { root, dns, shown, db } = await setUp(t);
  await verifiedDomain({ dns }, root, 'pets', WILDCARD);
  const own = await verifiedDomain({ dns }, root, 'pets', 'v2.docs.example.test');
  assert.equal(own.primary, true, 'a wildcard is never primary');
  assert.equal(await shown('v2.docs.example.test'), 'v2');
  const issuances = await db.selectFrom('issuances').select('hostname').execute();
  assert.deepEqual(issuances.map(({ hostname }) => hostname).sort(), [
    WILDCARD,
    'v2.docs.example.test',
  ]);
});

test('a name and the wildcard below it share the one record that there can be for their challenges', async (t) => {
  const { root } = await setUp(t);
  const path = '/api/projects/pets/domains';
  const first = await json<Domain>(
    await root.call('POST', path, { hostname: 'docs.example.test', prepare: true }),
    201,
  );
  const wildcard = await addDomain(root, 'pets', WILDCARD);
  assert.deepEqual(wildcard.records[0], first.records[0]);
  assert.notEqual(wildcard.records[1]?.value, first.records[1]?.value);
  const others = await addDomain(root, 'others', WILDCARD);
  assert.notEqual(others.records[0]?.value, first.records[0]?.value);
});

test('a wildcard cannot be primary, redirect, show one version, or be proven otherwise', async (t) => {
  const { root, dns } = await setUp(t);
  await verifiedDomain({ dns }, root, 'pets', WILDCARD);
  const path = `/api/projects/pets/domains/${WILDCARD}`;
  const refused = async (method: string, at: string, body?: object) =>
    assertError(await root.call(method, at, body), 409, 'conflict');
  assert.match(await refused('POST', `${path}/primary`), /cannot be primary/);
  assert.match(await refused('PATCH', path, { redirectTo: '/v2' }), /is a wildcard/);
  assert.match(await refused('PATCH', path, { version: 'v2' }), /each version at its own label/);
  assert.match(
    await refused('PATCH', path, { prepare: false }),
    /its _acme-challenge record alone/,
  );
  assert.match(await refused('GET', `${path}/move`), /whose move cannot be watched/);
});

test('without a zone of its own an installation says what a wildcard needs', async (t) => {
  const { root } = await startDomainService(t);
  await readyProject(root, 'pets');
  const response = await root.call('POST', '/api/projects/pets/domains', { hostname: WILDCARD });
  assert.match(
    await assertError(response, 409, 'conflict'),
    /no DNS zone of its own, which it needs to prove the wildcard \*\.docs\.example\.test\. .*DNS_ZONE/,
  );
});

test('what is wrong with the records of a wildcard is told', async (t) => {
  const { root, dns } = await setUp(t);
  const zone = dns.zone('example.test');
  const { records } = await addDomain(root, 'pets', WILDCARD);
  const [challenge, main] = records.map(({ value }) => value);
  assert.ok(challenge && main);
  const verdictOf = async () => {
    const { verdict } = await verify(root, 'pets', WILDCARD);
    return `${verdict?.code} ${verdict?.reason}`;
  };
  const at = '_acme-challenge.docs.example.test';
  // Every name below a wildcard has its record: that of the challenges is missing all the same.
  zone.setRecords(WILDCARD, 'CNAME', [main]);
  assert.equal(await verdictOf(), 'no_record challenge_missing');
  zone.setRecords(at, 'CNAME', [`${challenge.slice(0, -1)}`]);
  assert.equal(await verdictOf(), 'near_miss challenge_typo');
  zone.setRecords(at, 'CNAME', [challenge]);
  assert.equal(await verdictOf(), 'verified verified');
  zone.setRecords(WILDCARD, 'CNAME', []);
  zone.setRecords('docs.example.test', 'CNAME', [main]);
  assert.equal(await verdictOf(), 'near_miss wrong_name');
  zone.setRecords('docs.example.test', 'CNAME', []);
  zone.setRecords(`${WILDCARD}.example.test`, 'CNAME', [main]);
  assert.equal(await verdictOf(), 'near_miss doubled_zone');
  zone.setRecords(`${WILDCARD}.example.test`, 'CNAME', []);
  zone.setRecords(WILDCARD, 'CNAME', ['elsewhere.example.test']);
  const { verdict } = await verify(root, 'pets', WILDCARD);
  assert.equal(verdict?.code, 'wrong_target');
  assert.match(String(verdict?.message), /The CNAME record of \*\.docs\.example\.test points/);
  zone.setRecords(WILDCARD, 'CNAME', [main]);

  // RFC 8659, section 4.3: `issuewild` goes before `issue`, and stands above the wildcard.
  zone.setRecords('docs.example.test', 'CAA', ['0 issue "ca.test"', '0 issuewild ";"']);
  const blocked = (await verify(root, 'pets', WILDCARD)).verdict;
  assert.equal(`${blocked?.code} ${blocked?.reason}`, 'caa_blocks issuer');
  assert.match(String(blocked?.add[0]?.value), /^0 issuewild "/);
  assert.equal(blocked?.add[0]?.name, 'docs.example.test');
  zone.setRecords('docs.example.test', 'CAA', ['0 issue ";"', String(blocked?.add[0]?.value)]);
  assert.equal(await verdictOf(), 'verified verified');
});
