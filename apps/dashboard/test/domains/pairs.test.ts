import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Domain } from '../../server/src/domains/domain.ts';
import { assertError, json } from '../support/service.ts';
import { fetchFromSite } from '../support/site.ts';
import { certify } from './support/certify.ts';
import {
  addDomain,
  createRecords,
  eventsOf,
  getDomain,
  readyProject,
  startDomainService,
  verify,
} from './support/domains.ts';

const APEX = 'example.test';
const WWW = 'www.example.test';
const PATH = '/api/projects/pets/domains';

async function setUp(t: TestContext) {
  const service = await startDomainService(t);
  await readyProject(service.root, 'pets');
  const { root, dns } = service;
  const addPair = (hostname: string) => root.call('POST', PATH, { hostname, pair: true });
  const names = async () => {
    const { items } = await json<{ items: Domain[] }>(await root.call('GET', PATH));
    return items.map(({ hostname }) => hostname);
  };
  /** An ALIAS is what a resolver makes of it: the addresses of its target. */
  const prove = async (hostname: string) => {
    const domain = await getDomain(root, 'pets', hostname);
    if (!domain.isApex) createRecords(dns, domain);
    else {
      const zone = dns.zone(APEX);
      zone.setRecords(APEX, 'A', ['127.0.0.1']);
      zone.setRecords(`_docs-challenge.${APEX}`, 'TXT', [String(domain.records[1]?.value)]);
    }
    const { verdict } = await verify(root, 'pets', hostname);
    assert.equal(verdict?.code, 'verified', verdict?.message);
  };
  return { ...service, addPair, names, prove };
}

test('a name and its www. are added in one step, each with its own records', async (t) => {
  const { root, addPair, names } = await setUp(t);
  const apex = await json<Domain>(await addPair('Example.test'), 201);
  assert.deepEqual([apex.hostname, apex.pair], [APEX, WWW]);
  assert.deepEqual(await names(), [APEX, WWW]);
  const www = await getDomain(root, 'pets', WWW);
  assert.equal(www.pair, APEX);
  assert.deepEqual(
    [apex, www].map(({ records }) => records.map(({ type, name }) => `${type} ${name}`)),
    [[`ALIAS ${APEX}`, `TXT _docs-challenge.${APEX}`], [`CNAME ${WWW}`]],
  );
  assert.notEqual(apex.records[0]?.value, www.records[0]?.value);
});

test('the name that was asked for becomes primary, whichever is verified first, and the other redirects', async (t) => {
  const { root, addPair, prove, db, edgePort } = await setUp(t);
  await json(await addPair(APEX), 201);
  await prove(WWW);
  assert.equal((await getDomain(root, 'pets', WWW)).primary, false);
  assert.equal((await fetchFromSite(`http://${WWW}:${edgePort}/`)).status, 200, 'it serves alone');
  await prove(APEX);
  assert.equal((await getDomain(root, 'pets', APEX)).primary, true);
  assert.ok((await eventsOf(root, 'pets', APEX)).includes('primary'));
  await certify(db, APEX);
  await json(await root.call('POST', `${PATH}/${APEX}/primary`));
  const { status, headers } = await fetchFromSite(`http://${WWW}:${edgePort}/openapi.json`);
  assert.equal(status, 301);
  assert.match(String(headers.location), /^https:\/\/example\.test:\d+\/openapi\.json$/);
  // Turned round, by whoever wants it so.
  await certify(db, WWW);
  assert.equal(
    (await json<Domain>(await root.call('POST', `${PATH}/${WWW}/primary`))).primary,
    true,
  );
  const back = await fetchFromSite(`http://${APEX}:${edgePort}/`);
  assert.match(String(back.headers.location), /^https:\/\/www\.example\.test:/);
});

test('both are added or none, and both count', async (t) => {
  const { root, addPair, names } = await setUp(t);
  await addDomain(root, 'pets', WWW);
  const twice = await addPair(APEX);
  assert.match(await assertError(twice, 409, 'conflict'), /www\.example\.test is a domain of this/);
  assert.deepEqual(await names(), [WWW]);
  for (let at = 0; at < 8; at++) await addDomain(root, 'pets', `docs-${at}.example.test`);
  const full = await addPair('other.test');
  assert.match(await assertError(full, 409, 'conflict'), /allows 10 domains, .* has 9 of them/);
  assert.equal((await names()).length, 9);
});

test('what has no other half is refused, and the way round does not matter', async (t) => {
  const { root, addPair } = await setUp(t);
  for (const hostname of ['docs.example.test', 'www.docs.example.test']) {
    const refusal = await addPair(hostname);
    assert.match(await assertError(refusal, 400, 'invalid_request'), /pair must be left out/);
  }
  const www = await json<Domain>(await addPair(WWW), 201);
  assert.deepEqual([www.hostname, www.pair], [WWW, APEX]);
  // What is left of a pair is a domain like others.
  assert.equal((await root.call('DELETE', `${PATH}/${WWW}`)).status, 204);
  assert.equal((await getDomain(root, 'pets', APEX)).pair, null);
});
