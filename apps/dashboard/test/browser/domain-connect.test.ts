import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NameServer, startNameServer } from '@petstore/lab/name-server/name-server.ts';
import { cleanUp, FILE } from '@petstore/test-support/clean-up.ts';
import { readConfig } from '../../server/src/config.ts';
import { templatesOf } from '../../server/src/domain-connect/templates.ts';
import {
  type DnsProvider,
  type PublishedTemplate,
  startDnsProvider,
} from '../domain-connect/support/dns-provider.ts';
import { sharedInstallation } from '../support/installation.ts';
import { look } from '../support/look.ts';
import { said } from '../support/said.ts';
import { deploy } from '../support/uploads.ts';

const KEY_HOST = '127.0.0.2';

let dns: NameServer;
let provider: DnsProvider;

const shared = sharedInstallation(async () => {
  dns = await startNameServer({
    zones: {
      'example.test': [],
      'docs.localhost': [{ name: '*.docs.localhost', type: 'A', value: '127.0.0.1' }],
    },
  });
  cleanUp(FILE, () => dns.close());
  const port = `${dns.port}`;
  const env = {
    ...{ DASHBOARD_SIGN_UP: 'open', DNS_SERVERS: dns.server, DNS_PRIVATE_SERVERS: 'allow' },
    ...{ DNS_AUTHORITATIVE_PORT: port, ACME_DIRECTORY_URL: 'https://127.0.0.1:9/directory' },
    ...{ DNS_ZONE: 'acme.docs.example.net', DNS_HOST: KEY_HOST, DNS_PORT: port },
    DOMAIN_CONNECT_PROVIDER_ID: 'docs.example.net',
  };
  provider = await startDnsProvider(FILE, { dns, keyServer: `${KEY_HOST}:${port}` });
  const { domainConnect, dnsZone, platformHost } = readConfig(env);
  assert.ok(domainConnect && dnsZone);
  const config = { domainConnect, dnsZone, platformHost, dashboardHost: '127.0.0.1' };
  provider.templates = templatesOf(config) as unknown as PublishedTemplate[];
  dns.zone('example.test').setRecords('_domainconnect.example.test', 'TXT', [provider.prefix]);
  return env;
});

test('an owner has the DNS provider create the records, and comes back to a domain that is verified', async () => {
  const installation = shared();
  const owner = await installation.member();
  const { page, call, complaints } = owner;
  await call('POST', '/projects', { name: 'Petstore', slug: 'pets' });
  await call('PUT', '/projects/pets/plan', { plan: 'pro' });
  await deploy(owner, 'pets', 'Pets');
  await call('POST', '/projects/pets/domains', { hostname: 'docs.example.test' });
  const path = '/projects/pets/settings/domains/docs.example.test';
  const button = page.getByRole('button', { name: 'Set it up at Virtucon' });

  // Whoever made a link with a state cannot have the page say that anything was done.
  await page.goto(`${installation.origin}${path}?state=invented`);
  await button.waitFor();
  assert.equal(await page.getByText('has created the records').count(), 0);
  const text = 'It manages the DNS of example.test';
  await look(page, installation, { name: 'domain-connect', path, text });

  await page.goto(`${installation.origin}${path}`);
  provider.intercept = (asked, response) => {
    if (!asked.endsWith('/apply')) return false;
    response.end('<a id="back">Cancel</a>');
    return true;
  };
  await button.click();
  await page.waitForURL(/\/ux\/v2\/domainTemplates\//);
  const state = new URL(page.url()).searchParams.get('state');
  await page.goto(`${installation.origin}${path}?error=access_denied&state=${state}`);
  await page
    .getByText('Virtucon has not created the records (access_denied).', { exact: false })
    .waitFor();
  await page.waitForURL(`${installation.origin}${path}`);

  provider.intercept = () => false;
  await button.click();
  await said(page, 'The DNS of docs.example.test is right.');
  await page.waitForURL(`${installation.origin}${path}`);
  await page.getByRole('status').getByText('Verified').first().waitFor();
  assert.deepEqual(complaints, []);
});
