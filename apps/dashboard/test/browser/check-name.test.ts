import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startNameServer } from '@petstore/lab/name-server/name-server.ts';
import { cleanUp, FILE } from '@petstore/test-support/clean-up.ts';
import { sharedInstallation } from '../support/installation.ts';
import { look } from '../support/look.ts';

const HOST = 'docs.example.test';

const shared = sharedInstallation(async () => {
  const dns = await startNameServer({
    zones: {
      'example.test': [
        { name: HOST, type: 'MX', value: '10 mail.example.test' },
        { name: 'example.test', type: 'CAA', value: '0 issue "letsencrypt.org"' },
        { name: 'example.test', type: 'CAA', value: '0 issuewild "amazon.com"' },
      ],
      'docs.localhost': [{ name: '*.docs.localhost', type: 'A', value: '127.0.0.1' }],
    },
  });
  cleanUp(FILE, dns.close);
  return {
    ...{ DASHBOARD_SIGN_UP: 'open', DNS_SERVERS: dns.server, DNS_PRIVATE_SERVERS: 'allow' },
    DNS_AUTHORITATIVE_PORT: String(dns.port),
  };
});

test('a member types a name and a record, sees what it would bring, and tries the remedy', async () => {
  const installation = shared();
  const { page, call, complaints } = await installation.member();
  await call('POST', '/projects', { name: 'Petstore', slug: 'checked' });
  await page.goto(`${installation.origin}/projects/checked/settings/domains`);
  await page.getByRole('link', { name: 'Check a name' }).click();

  const check = page.getByRole('button', { name: 'Check', exact: true });
  await page.getByLabel('Host name').fill('docs.localhost');
  await check.click();
  await page.getByText("names under docs.localhost are the platform's").waitFor();

  await page.getByLabel('Host name').fill(HOST);
  await check.click();
  await page.getByRole('heading', { name: `${HOST} today` }).waitFor();
  const issuers = page.getByRole('region', { name: 'Who may issue certificates' });
  await issuers.getByText('The CAA records of example.test decide.').waitFor();
  await issuers.getByText('example.test CAA 0 issue "digicert.com"').waitFor();
  const way = page.getByRole('region', { name: 'The way to the CAA records' });
  await way.getByText('No CAA record').waitFor();
  await way.getByText('Decides').waitFor();

  await page.getByLabel('Certificate authority').selectOption({ label: 'Amazon (amazon.com)' });
  const all = issuers.getByRole('listitem');
  await all.nth(1).waitFor({ state: 'detached' });
  await all.getByText('Wildcard allowed').waitFor();

  await page.getByRole('button', { name: 'Add a record' }).click();
  await page.getByLabel('Value', { exact: true }).fill('your-own-target.docs.localhost');
  await check.click();
  await page.getByText(`Mail to addresses at ${HOST} no longer arrives`).waitFor();
  await page.getByText('beside its CNAME record').waitFor();
  const path = '/projects/checked/settings/domains/check';
  const place = { name: 'check-name', path, text: 'What if these records were set?' };
  await look(page, installation, place, undefined, true);

  await page.getByRole('button', { name: 'Try this remedy' }).click();
  await page.getByText('All records are right').waitFor();
  await page.getByText('Taken as removed:').waitFor();
  await page.getByText(`${HOST} leads here, and gets its certificate.`).waitFor();
  assert.deepEqual(
    complaints.filter((text) => !/400/.test(text)),
    [],
  );
});
