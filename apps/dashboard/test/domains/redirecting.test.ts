import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import { assertError, json } from '../support/service.ts';
import { fetchFromSite } from '../support/site.ts';
import { certify } from './support/certify.ts';
import {
  addDomain,
  eventsOf,
  readyProject,
  startDomainService,
  verifiedDomain,
} from './support/domains.ts';

const PATH = '/api/projects/pets/domains';
const MAIN = 'docs.example.test';
const OLD = 'old.example.test';
const API = 'api.example.test';

/** `docs.` is primary and has a certificate, as `api.` has; `old.` has none. */
async function setUp(t: TestContext) {
  const service = await startDomainService(t);
  const { root, dns, db, edgePort } = service;
  for (const slug of ['pets', 'others']) await readyProject(root, slug);
  for (const name of [MAIN, OLD, API]) await verifiedDomain({ dns }, root, 'pets', name);
  for (const name of [MAIN, API]) await certify(db, name);
  const patch = (hostname: string, change: object) =>
    root.call('PATCH', `${PATH}/${hostname}`, change);
  const leads = async (host: string, path: string) => {
    const { status, headers } = await fetchFromSite(`http://${host}:${edgePort}${path}`);
    const { location } = headers;
    return `${status} ${location?.replace(/:\d+(?=\/)/, '')}`;
  };
  await timeUntil(async () => (await leads(OLD, '/x')).startsWith('301'));
  return { ...service, patch, leads };
}

test('a whole domain leads to a path of the site, with the path of the request or without', async (t) => {
  const { patch, leads, root } = await setUp(t);
  const changed = await json<Domain>(await patch(OLD, { redirectTo: '/v2/' }));
  assert.deepEqual(changed.redirect, { to: '/v2', status: 301, keepPath: true });
  assert.equal(await leads(OLD, '/guides/start'), `301 https://${MAIN}/v2/guides/start`);
  assert.equal(await leads(OLD, '/'), `301 https://${MAIN}/v2`);
  assert.equal(await leads(OLD, '//evil.test/x'), `301 https://${MAIN}/v2//evil.test/x`);
  await json(await patch(OLD, { redirectTo: '/größe', redirectStatus: 302, keepPath: false }));
  assert.equal(await leads(OLD, '/guides/start'), `302 https://${MAIN}/gr%C3%B6%C3%9Fe`);
  await json(await patch(OLD, { redirectTo: '/', redirectStatus: 308, keepPath: false }));
  assert.equal(await leads(OLD, '/guides/start'), `308 https://${MAIN}/`);
  assert.equal((await json<Domain>(await patch(OLD, { redirectTo: null }))).redirect, null);
  assert.equal(await leads(OLD, '/guides/start'), `301 https://${MAIN}/guides/start`);
  const kinds = await eventsOf(root, 'pets', OLD);
  assert.equal(kinds.filter((kind) => kind === 'redirect').length, 4);
});

test('a domain leads to another one of its project, as long as that serves it', async (t) => {
  const { patch, leads, root } = await setUp(t);
  await json(await patch(OLD, { redirectTo: `https://${API.toUpperCase()}/reference` }));
  assert.equal(await leads(OLD, '/pets'), `301 https://${API}/reference/pets`);
  assert.equal((await root.call('DELETE', `${PATH}/${API}`)).status, 204);
  assert.equal(await leads(OLD, '/pets'), `301 https://${MAIN}/pets`, 'to the primary, as before');
});

test('no domain leads to a name of others, to itself, or in a circle', async (t) => {
  const { patch, root, dns } = await setUp(t);
  await verifiedDomain({ dns }, root, 'others', 'theirs.example.test');
  const refused = async (hostname: string, redirectTo: string, reason: RegExp) =>
    assert.match(await assertError(await patch(hostname, { redirectTo }), 409, 'conflict'), reason);
  await refused(OLD, 'https://theirs.example.test/', /not a domain of this project/);
  await refused(OLD, 'https://evil.test', /not a domain of this project/);
  await refused(OLD, `https://${OLD}/x`, /cannot redirect to itself/);
  await refused(MAIN, '/v2', /is the primary domain/);
  await json(await patch(OLD, { redirectTo: `https://${API}` }));
  await refused(API, `https://${OLD}`, /old\.example\.test redirects to api\.example\.test/);
  await json(await patch(OLD, { redirectTo: '/x' }));
  await refused(API, `https://${OLD}`, /redirects itself/);
  const primary = await root.call('POST', `${PATH}/${OLD}/primary`);
  assert.match(await assertError(primary, 409, 'conflict'), /redirects elsewhere/);
  await addDomain(root, 'pets', 'new.example.test');
  const targets = [
    ...['x', '//evil.test', '/\\evil.test', '\\\\evil.test', 'http://docs.example.test', ''],
    ...['https://a@docs.example.test', 'https://docs.example.test:8443', 'javascript:alert(1)'],
    ...['/a?b', '/a#b', 'https://docs.example.test/?x', 'https://127.0.0.1/', '/a b', '/%0d%0aX:'],
    ...['/.//evil.test', 'https:docs.example.test@evil.test'],
  ];
  for (const redirectTo of targets) {
    const response = await patch('new.example.test', { redirectTo });
    if (redirectTo === '/%0d%0aX:') await json(response);
    else
      assert.match(await assertError(response, 400, 'invalid_request'), /redirectTo/, redirectTo);
  }
});
