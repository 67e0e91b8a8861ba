import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NameServer, startNameServer } from '@petstore/lab/name-server/name-server.ts';
import { cleanUp, FILE } from '@petstore/test-support/clean-up.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import { type OldSite, page as oldPage, startOldSite } from '../domains/support/old-site.ts';
import { sharedInstallation, withoutRefusals } from '../support/installation.ts';
import { look, VIEWS } from '../support/look.ts';
import { NOT_READY, READY, rehearsal } from '../support/rehearsal-responses.ts';
import { said } from '../support/said.ts';
import { deploy } from '../support/uploads.ts';

const HOST = 'docs.example.test';
const [LIGHT, DARK, LIGHT_PHONE, DARK_PHONE] = VIEWS;

let dns: NameServer;
let old: OldSite;

/** The site that is at the name today, and a certificate authority that is away. */
const shared = sharedInstallation(async () => {
  dns = await startNameServer({
    zones: {
      'example.test': [],
      'docs.localhost': [{ name: '*.docs.localhost', type: 'A', value: '127.0.0.1' }],
    },
  });
  cleanUp(FILE, dns.close);
  old = await startOldSite(FILE);
  old.headers = { 'strict-transport-security': 'max-age=86400' };
  old.pages = {
    '/': oldPage('Pets', '/pricing', '/docs/list-pets.html'),
    '/pricing': oldPage('What it costs'),
    '/docs/list-pets.html': oldPage('List pets | Pets'),
  };
  dns.zone('example.test').setRecords(HOST, 'A', [old.address], 3_600);
  return {
    DASHBOARD_SIGN_UP: 'open',
    ...{ DNS_SERVERS: dns.server, DNS_PRIVATE_SERVERS: 'allow' },
    ...{ DNS_ZONE: 'acme.docs.localhost', DNS_PORT: '0' },
    ACME_DIRECTORY_URL: 'https://127.0.0.1:9/directory',
    DASHBOARD_REHEARSAL_HTTPS_PORT: `${old.port}`,
  };
});

test('an owner rehearses a move from the page of the domain, and copies the redirects', async () => {
  const installation = shared();
  const { page, call, complaints } = await installation.member();
  const owner = { page, call, complaints };
  await call('POST', '/projects', { name: 'Petstore', slug: 'pets' });
  await call('PUT', '/projects/pets/plan', { plan: 'pro' });
  await deploy(owner, 'pets', 'Pets');
  const domains = '/projects/pets/domains';
  const { records } = await call<Domain>('POST', domains, { hostname: HOST, prepare: true });
  const challenge = records.find(({ name }) => name.startsWith('_acme-challenge.'));
  dns.zone('example.test').setRecords(String(challenge?.name), 'CNAME', [String(challenge?.value)]);
  await call('POST', `${domains}/${HOST}/verify`);

  const path = `/projects/pets/settings/domains/${HOST}`;
  await page.goto(`${installation.origin}${path}`);
  await page.getByRole('link', { name: 'Rehearse' }).click();
  await page.waitForURL(`**${path}/rehearsal`);
  await page.getByText('Not rehearsed yet').waitFor();
  await page.getByRole('button', { name: 'Start the rehearsal' }).click();
  const verdict = page.getByRole('status');
  await verdict.getByText('Not ready yet').waitFor();
  await verdict.getByText('2 things are missing.').waitFor();
  const missing = page.getByRole('region', { name: 'What is missing' }).getByRole('listitem');
  assert.deepEqual(await missing.getByRole('heading').allInnerTexts(), [
    'There is no certificate yet',
    '2 addresses lead nowhere here',
  ]);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy the redirects for docs.yaml' }).click();
  await said(page, 'Copied the redirects for docs.yaml.');
  assert.match(
    await page.evaluate<string>('navigator.clipboard.readText()'),
    /^redirects:\n {2}\/docs\/list-pets\.html: \/reference\/\S+\n$/,
  );
  const addresses = page.getByRole('region', { name: 'Addresses' });
  await addresses.getByText('/pricing', { exact: true }).waitFor();
  await addresses.getByRole('button', { name: 'Found 1' }).click();
  assert.deepEqual(await addresses.getByRole('listitem').locator('code').allInnerTexts(), ['/']);
  await page.getByText('The old host set HSTS for 1 day').waitFor();
  // One more page there shows in what is found out anew.
  old.pages['/'] = oldPage('Pets', '/pricing', '/team', '/docs/list-pets.html');
  old.pages['/team'] = oldPage('Who we are');
  await page.getByRole('button', { name: 'Rehearse again' }).click();
  await missing.getByRole('heading', { name: '3 addresses lead nowhere here' }).waitFor();
  await verdict.getByText('Not ready yet').waitFor();
  assert.deepEqual(withoutRefusals(complaints), []);

  // What it looks like where there is more to say.
  const place = `${path}/rehearsal`;
  const pretend = async (answer: ReturnType<typeof rehearsal>) => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.route('**/rehearsals/latest', (route) => route.fulfill({ json: answer }));
  };
  await pretend(rehearsal({ result: NOT_READY }));
  await look(page, installation, {
    name: 'rehearsal-not-ready',
    path: place,
    text: 'Not ready yet',
  });
  await pretend(rehearsal({ result: READY }));
  const ready = { name: 'rehearsal-ready', path: place, text: 'Ready to move' };
  await look(page, installation, ready, [LIGHT, DARK_PHONE]);
  await pretend(rehearsal({ state: 'running', finishedAt: null, result: null, pagesSeen: 41 }));
  const running = { name: 'rehearsal-running', path: place, text: '41 pages of the site' };
  await look(page, installation, running, [DARK, LIGHT_PHONE]);
});
