import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NameServer, startNameServer } from '@petstore/lab/name-server/name-server.ts';
import { cleanUp, FILE } from '@petstore/test-support/clean-up.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import { dialogOf } from '../support/dialog.ts';
import { sharedInstallation, withoutRefusals } from '../support/installation.ts';
import { look } from '../support/look.ts';
import { deploy } from '../support/uploads.ts';

const APEX = 'example.test';
const WWW = `www.${APEX}`;
const WILDCARD = `*.docs.${APEX}`;

let dns: NameServer;

/** A DNS, a zone of the installation's own, and a certificate authority that is away. */
const shared = sharedInstallation(async () => {
  dns = await startNameServer({
    zones: {
      [APEX]: [],
      'docs.localhost': [{ name: '*.docs.localhost', type: 'A', value: '127.0.0.1' }],
    },
  });
  cleanUp(FILE, dns.close);
  return {
    ...{ DASHBOARD_SIGN_UP: 'open', DNS_SERVERS: dns.server, DNS_PRIVATE_SERVERS: 'allow' },
    ...{ DNS_AUTHORITATIVE_PORT: `${dns.port}`, DNS_PORT: `${dns.port}` },
    ...{ DNS_ZONE: 'acme.docs.localhost', DNS_HOST: '127.0.0.2' },
    ACME_DIRECTORY_URL: 'https://127.0.0.1:9/directory',
  };
});

test('a pair, a redirect and a wildcard are set up on their pages', async () => {
  const installation = shared();
  const owner = await installation.member();
  const { page, call, complaints } = owner;
  await call('POST', '/projects', { name: 'Petstore', slug: 'named' });
  await call('PUT', '/projects/named/plan', { plan: 'pro' });
  await deploy(owner, 'named', 'Pets');
  const list = '/projects/named/settings/domains';
  await page.goto(installation.origin + list);
  const dialog = dialogOf(page);
  const add = async (hostname: string) => {
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByRole('textbox', { name: 'Host name' }).fill(hostname);
  };
  const submit = dialog.getByRole('button', { name: 'Add domain' });

  await add(`docs.${APEX}`);
  assert.equal(await dialog.getByRole('checkbox', { name: /^And / }).count(), 0);
  await page.getByRole('textbox', { name: 'Host name' }).fill(APEX);
  assert.ok(await dialog.getByRole('checkbox', { name: `And ${WWW}` }).isChecked());
  await submit.click();
  await page.waitForURL(`${installation.origin}${list}/${APEX}`);
  await page.getByRole('heading', { name: `And ${WWW}` }).waitFor();
  for (const name of [APEX, WWW])
    await page.getByRole('table', { name: `DNS records of ${name}` }).waitFor();
  await page.getByText('Neither of the two is verified yet.').waitFor();

  const other = await call<Domain>('GET', `/projects/named/domains/${WWW}`);
  for (const { type, name, value } of other.records) {
    assert.ok(type !== 'CAA');
    dns.zone(APEX).setRecords(name, type, [value]);
  }
  await call('POST', `/projects/named/domains/${WWW}/verify`);
  await page.getByText(`${APEX} is not verified yet. It needs its own records.`).waitFor();
  await look(page, installation, {
    name: 'domain-pair',
    path: `${list}/${APEX}`,
    text: `And ${WWW}`,
  });

  await page.goto(`${installation.origin}${list}/${WWW}`);
  await page.getByRole('button', { name: 'Redirect…' }).click();
  const to = dialog.getByRole('textbox', { name: 'To' });
  await to.fill('https://evil.test/');
  await dialog.getByRole('button', { name: 'Redirect' }).click();
  await dialog.getByText('evil.test is not a domain of this project').waitFor();
  await to.fill('/v2');
  await dialog.getByLabel('Status').selectOption('302');
  await dialog.getByRole('button', { name: 'Redirect' }).click();
  await page.getByText('every request is redirected to /v2 (302), with the path').waitFor();
  await page.getByText('Redirects', { exact: true }).waitFor();
  await look(page, installation, {
    name: 'domain-redirect',
    path: `${list}/${WWW}`,
    text: 'Redirects',
  });
  await page.getByRole('button', { name: 'Show the site…' }).click();
  await dialog.getByRole('button', { name: 'Show the site' }).click();
  await page.getByText('The whole site.').waitFor();

  await page.goto(installation.origin + list);
  await add(WILDCARD);
  await submit.click();
  await page.getByRole('heading', { name: WILDCARD }).waitFor();
  await page.getByText(`v2.docs.${APEX}`).waitFor();
  const records = page.getByRole('table', { name: `DNS records of ${WILDCARD}` });
  await records.getByText('_acme-challenge.docs', { exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Redirect…' }).count(), 0);
  await look(page, installation, {
    name: 'domain-wildcard',
    path: `${list}/${WILDCARD}`,
    text: 'Timeline',
  });
  assert.deepEqual(withoutRefusals(complaints), []);
});
