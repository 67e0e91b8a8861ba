import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { readConfig } from '../../server/src/config.ts';
import type { DomainConnectOffer } from '../../server/src/domain-connect/offer.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import { AWAY, addDomain, readyProject, startDns, verify } from '../domains/support/domains.ts';
import { dashboard } from '../support/dashboard-program.ts';
import { assertError, json, startService } from '../support/service.ts';
import { type PublishedTemplate, startDnsProvider } from './support/dns-provider.ts';

const ZONE = 'acme.docs.example.net';
const KEY_HOST = '127.0.0.2';

const ENV = {
  ...{ DNS_ZONE: ZONE, DNS_HOST: KEY_HOST, DOMAIN_CONNECT_PROVIDER_ID: 'docs.example.net' },
  ...{ DOMAIN_CONNECT_PROVIDER_NAME: 'Example Docs', DASHBOARD_PUBLIC_URL: 'https://dash.test' },
};

/** What `dashboard domain-connect template` prints. */
async function published(t: TestContext, service: string): Promise<PublishedTemplate> {
  const args = ['domain-connect', 'template', '--service', service];
  const { stdout } = await dashboard(await temporaryFolder(t), args, {
    ...ENV,
    DASHBOARD_PLATFORM_HOST: 'docs.localhost',
  });
  return JSON.parse(stdout);
}

async function setUp(t: TestContext, overrides: { dnsPrivateServers?: 'refuse' } = {}) {
  const dns = await startDns(t);
  const config = readConfig({ ...ENV, DNS_PORT: `${dns.port}` });
  const provider = await startDnsProvider(t, { dns, keyServer: `${KEY_HOST}:${dns.port}` });
  const { dnsZone, domainConnect } = config;
  const settings = { acme: AWAY, dnsServers: [dns.server], dnsPrivateServers: 'allow' } as const;
  const service = await startService(t, {
    ...{ ...settings, dnsZone, domainConnect, dnsAuthoritativePort: dns.port },
    ...overrides,
  });
  const root = await service.signUp('root@example.com');
  await readyProject(root, 'pets');
  dns.zone('example.test').setRecords('_domainconnect.example.test', 'TXT', [provider.prefix]);
  const offerFor = async (hostname: string) =>
    json<DomainConnectOffer>(
      await root.call('GET', `/api/projects/pets/domains/${hostname}/domain-connect`),
    );
  /** Goes to the provider as a browser does, and gives the address that it is sent back to. */
  const agree = async (offer: DomainConnectOffer) => {
    const response = await fetch(offer.applyUrl ?? '', { redirect: 'manual' });
    assert.equal(response.status, 302, await response.text());
    return new URL(response.headers.get('location') ?? '');
  };
  return { dns, provider, service, root, offerFor, agree };
}

const NONE = { provider: null, applyUrl: null, state: null };

test('a provider that has taken the template creates the records of a name, and it is verified', async (t) => {
  const { dns, provider, service, root, offerFor, agree } = await setUp(t);
  await addDomain(root, 'pets', 'docs.example.test');
  assert.deepEqual(await offerFor('docs.example.test'), NONE, 'it has not taken it yet');
  provider.templates = [await published(t, 'docs'), await published(t, 'docs-apex')];

  const offer = await offerFor('docs.example.test');
  assert.equal(offer.provider, 'Virtucon');
  const back = await agree(offer);
  assert.equal(back.origin, service.origin);
  assert.equal(back.pathname, '/projects/pets/settings/domains/docs.example.test');
  assert.equal(back.searchParams.get('state'), offer.state);
  const docs = await verify(root, 'pets', 'docs.example.test');
  assert.equal(docs.verdict?.code, 'verified', docs.verdict?.message);

  await addDomain(root, 'pets', 'example.test');
  await agree(await offerFor('example.test'));
  const apex = await verify(root, 'pets', 'example.test');
  assert.equal(apex.verdict?.code, 'verified', apex.verdict?.message);
  const types = (name: string) =>
    dns
      .zone('example.test')
      .records()
      .filter((record) => record.name === name)
      .map(({ type }) => type);
  assert.deepEqual(types('_docs-challenge.example.test'), ['TXT']);
  assert.deepEqual(types('_docs-challenge.docs.example.test'), [], 'no more than is needed');
});

test('a name that is prepared gets its challenge record first, and its address record when it moves', async (t) => {
  const { dns, provider, root, offerFor, agree } = await setUp(t);
  provider.templates = [await published(t, 'docs')];
  const body = { hostname: 'live.example.test', prepare: true };
  await json<Domain>(await root.call('POST', '/api/projects/pets/domains', body), 201);
  dns.zone('example.test').setRecords('live.example.test', 'A', ['127.0.0.9']);
  await agree(await offerFor('live.example.test'));
  const records = () => dns.zone('example.test').records();
  const at = (name: string) =>
    records()
      .filter((record) => record.name === name)
      .map(({ type }) => type);
  assert.deepEqual(at('live.example.test'), ['A'], 'the old host serves on');
  assert.deepEqual(at('_acme-challenge.live.example.test'), ['CNAME']);
  const prepared = await verify(root, 'pets', 'live.example.test');
  assert.equal(prepared.state, 'verified', prepared.verdict?.message);
  assert.equal(prepared.pointsHere, false);
  dns.zone('example.test').removeRecords('live.example.test', 'A');
  await agree(await offerFor('live.example.test'));
  assert.deepEqual(at('live.example.test'), ['CNAME']);
});

test('a request that was changed on its way is not one of ours', async (t) => {
  const { dns, provider, root, offerFor } = await setUp(t);
  provider.templates = [await published(t, 'docs')];
  await addDomain(root, 'pets', 'docs.example.test');
  const { applyUrl } = await offerFor('docs.example.test');
  const changes: [from: RegExp, to: string][] = [
    [/target=\w+/, 'target=evil'],
    [/redirect_uri=[^&]+/, 'redirect_uri=https%3A%2F%2Fevil.test'],
    [/&sig=[^&]+/, ''],
    [/&key=[^&]+/, '&key=other'],
  ];
  for (const [from, to] of changes) {
    const changed = applyUrl?.replace(from, to) ?? '';
    assert.notEqual(changed, applyUrl);
    const { status } = await fetch(changed, { redirect: 'manual' });
    assert.ok(status >= 400, `${to}: ${status}`);
  }
  const names = dns
    .zone('example.test')
    .records()
    .map(({ name }) => name);
  assert.ok(!names.includes('docs.example.test'));
});

test('whatever a zone and its provider say, there is an offer or none', async (t) => {
  const { dns, provider, root, offerFor } = await setUp(t);
  provider.templates = [await published(t, 'docs')];
  await addDomain(root, 'pets', 'docs.example.test');
  const zone = dns.zone('example.test');
  const at = '_domainconnect.example.test';
  for (const value of [
    '',
    'https://',
    'ftp://x.test',
    'a b',
    '..',
    'http://u:p@127.0.0.1/',
    '/x',
  ]) {
    zone.setRecords(at, 'TXT', [value]);
    assert.deepEqual(await offerFor('docs.example.test'), NONE, value);
  }
  zone.setRecords(at, 'TXT', [provider.prefix]);
  const said = provider.settings;
  for (const settings of [
    () => null,
    () => [],
    () => 'x'.repeat(70_000),
    (all) => ({ ...all, urlSyncUX: undefined }),
    (all) => ({ ...all, urlSyncUX: 'javascript:alert(1)' }),
    (all) => ({ ...all, urlSyncUX: 'data:text/html,x' }),
    (all) => ({ ...all, urlAPI: 7 }),
    (all) => ({ ...all, providerDisplayName: ' ' }),
  ] satisfies (typeof provider.settings)[]) {
    provider.settings = settings;
    assert.deepEqual(await offerFor('docs.example.test'), NONE, String(settings));
  }
  provider.settings = said;
  for (const status of [301, 404, 500]) {
    provider.intercept = (_, response) => {
      response.writeHead(status, { location: `${provider.prefix}/elsewhere` }).end('{}');
      return true;
    };
    assert.deepEqual(await offerFor('docs.example.test'), NONE, String(status));
  }
  assert.ok(!provider.asked.some((path) => path.includes('elsewhere')), 'no redirect is followed');
});

test('a zone does not make the dashboard call this machine or its network', async (t) => {
  const { dns, provider, root, offerFor } = await setUp(t, { dnsPrivateServers: 'refuse' });
  await addDomain(root, 'pets', 'docs.example.test');
  const { host } = new URL(provider.prefix);
  const port = host.split(':')[1];
  dns.zone('example.test').setRecords('inside.example.test', 'A', ['127.0.0.1']);
  for (const value of [provider.prefix, `${host}/connect`, `inside.example.test:${port}`]) {
    dns.zone('example.test').setRecords('_domainconnect.example.test', 'TXT', [value]);
    assert.deepEqual(await offerFor('docs.example.test'), NONE, value);
  }
  assert.deepEqual(provider.asked, []);
});

test('a zone is not asked for without end, since it says whom the dashboard asks', async (t) => {
  const { provider, root } = await setUp(t);
  await addDomain(root, 'pets', 'docs.example.test');
  const path = '/api/projects/pets/domains/docs.example.test/domain-connect';
  const responses = await Promise.all(Array.from({ length: 40 }, () => root.call('GET', path)));
  const refused = responses.filter(({ status }) => status === 429);
  assert.equal(refused.length, 10);
  assert.match(await assertError(refused[0] as Response, 429, 'rate_limited'), /in a minute/);
  assert.ok(provider.asked.length <= 60);
});
