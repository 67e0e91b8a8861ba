import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NameServer, startNameServer } from '@petstore/lab/name-server/name-server.ts';
import { settled } from '@petstore/test-support/browser.ts';
import { cleanUp, FILE } from '@petstore/test-support/clean-up.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import type { DnsRecord } from '../../server/src/domains/verdict.ts';
import type { CreatedInvitation, Project } from '../../server/src/projects/project.ts';
import { dialogOf } from '../support/dialog.ts';
import { sharedInstallation, withoutRefusals } from '../support/installation.ts';
import { said } from '../support/said.ts';
import { deploy } from '../support/uploads.ts';

let dns: NameServer;

/** A DNS of its own, and a certificate authority that is away. */
const shared = sharedInstallation(async () => {
  dns = await startNameServer({
    zones: {
      'example.test': [],
      'docs.localhost': [{ name: '*.docs.localhost', type: 'A', value: '127.0.0.1' }],
    },
  });
  return {
    DASHBOARD_SIGN_UP: 'open',
    DNS_SERVERS: dns.server,
    DNS_PRIVATE_SERVERS: 'allow',
    DNS_AUTHORITATIVE_PORT: String(dns.port),
    EDGE_HTTPS_PORT: '0',
    ACME_DIRECTORY_URL: 'https://127.0.0.1:9/directory',
  };
});
cleanUp(FILE, () => dns.close());

let owner: ReturnType<ReturnType<typeof shared>['member']> | undefined;

/** The one who owns the installation; the tests share them, and each has a project of its own. */
async function withProject(slug: string) {
  owner ??= shared().member();
  const someone = await owner;
  await someone.call('POST', '/projects', { name: 'Petstore', slug });
  return {
    ...someone,
    owner: someone,
    domains: `${shared().origin}/projects/${slug}/settings/domains`,
  };
}

async function withDomain(slug: string, hostname: string) {
  const project = await withProject(slug);
  await project.call('PUT', `/projects/${slug}/plan`, { plan: 'pro' });
  await deploy(project.owner, slug, 'Pets');
  const path = `/projects/${slug}/domains`;
  const domain = await project.call<Domain>('POST', path, { hostname });
  return { ...project, domain, path: `${path}/${hostname}`, url: `${project.domains}/${hostname}` };
}

function createRecords({ records }: Domain): void {
  for (const { type, name, value } of records) {
    assert.ok(type !== 'CAA');
    dns.zone('example.test').setRecords(name, type, [value]);
  }
}

test('a project hears what it lacks for a domain, and wrong names are refused at their field', async () => {
  const { owner, page, call, domains } = await withProject('adding');
  const add = page.getByRole('button', { name: 'Add domain' });
  await page.goto(domains);
  await page.getByText('Custom domains need the plan Pro or above.').waitFor();
  await page
    .getByText(
      'You own this installation: switch this project to Pro under Plan. Nothing is charged.',
    )
    .waitFor();
  assert.equal(await add.count(), 0);
  await call('PUT', '/projects/adding/plan', { plan: 'pro' });
  await page.reload();
  await page.getByText('Nothing of this project is live yet').waitFor();
  assert.equal(await add.count(), 0);
  await deploy(owner, 'adding', 'Pets');
  await page.reload();
  await add.click();

  const field = page.getByRole('textbox', { name: 'Host name' });
  const submit = dialogOf(page).getByRole('button', { name: 'Add domain' });
  for (const wrong of ['192.0.2.1', 'localhost', 'co.uk', 'docs.*.test', 'docs.localhost']) {
    await field.fill(wrong);
    await submit.click();
    const problem = dialogOf(page).getByText(/^Must /);
    await problem.waitFor();
    await field.and(page.locator('[aria-invalid=true]')).waitFor();
  }
  // As it is pasted from the address bar.
  await field.fill('https://Docs.Example.TEST/guide?from=here');
  await submit.click();
  await page.waitForURL(`${domains}/docs.example.test`);
  await page.getByRole('heading', { name: 'docs.example.test' }).waitFor();
  const [record] = (await call<Domain>('GET', '/projects/adding/domains/docs.example.test'))
    .records;
  const row = page.getByRole('table').getByRole('row').nth(1);
  for (const part of ['CNAME', 'docs', 'docs.example.test', record?.value ?? '', '3600']) {
    await row.getByText(part, { exact: true }).waitFor();
  }
  // Names may break after their dots, and are marked as they are all the same.
  await row.getByText(record?.value ?? '', { exact: true }).selectText();
  assert.equal(await page.evaluate('getSelection().toString().trim()'), record?.value);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await row.getByRole('button', { name: 'Copy the value of the CNAME record' }).click();
  await said(page, 'Copied the value of the CNAME record.');
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), record?.value);
});

test('the page follows the DNS without a reload, from what is wrong to verified', async () => {
  const { page, call, path, url, domain } = await withDomain('following', 'wiki.example.test');
  await call('POST', `${path}/verify`);
  await page.goto(url);
  await page.getByText('No record yet').waitFor();
  await page.getByRole('cell', { name: 'Missing' }).waitFor();
  // The sites of these tests are under docs.localhost, which the DNS of the tests alone knows.
  const outOfReach = page.getByText('No domain can lead to this installation yet.');
  await outOfReach.waitFor();

  dns.zone('example.test').setRecords('wiki.example.test', 'A', ['203.0.113.7']);
  await call('POST', `${path}/verify`);
  await page.getByText('Another record is in the way').waitFor();
  await page.getByRole('button', { name: 'Copy the A record to remove' }).waitFor();
  const steps = page.getByRole('listitem').filter({ hasText: /^(?:Sign in|Remove|Create|Press)/ });
  assert.deepEqual(
    (await steps.allInnerTexts()).map((text) => text.split(/[ :]/, 1)[0]),
    ['Sign', 'Remove', 'Create', 'Press'],
  );

  dns.zone('example.test').setRecords('wiki.example.test', 'A', []);
  const [{ value }] = domain.records as [DnsRecord];
  dns.zone('example.test').setRecords('wiki.example.test', 'CNAME', [`0${value}`]);
  await call('POST', `${path}/verify`);
  const says = 'has almost the right value: "0" in front of it must go.';
  await page.getByRole('status').getByText(says).waitFor();
  await page.getByRole('status').getByText('Almost right', { exact: true }).waitFor();
  await page.getByRole('cell', { name: 'Almost right' }).waitFor();
  await page.getByText(says).nth(1).waitFor();
  await page.goto(url.replace(/\/[^/]+$/, ''));
  await page.getByText(says).waitFor();
  await page.goto(url);

  createRecords(domain);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('status').getByText('Verified').waitFor();
  await page.getByRole('cell', { name: 'Right' }).waitFor();
  await page.getByText('Primary', { exact: true }).waitFor();
  await page.getByRole('list', { name: 'Steps of the certificate' }).waitFor();
  await page.getByText('it is verified.').waitFor();
  await outOfReach.waitFor({ state: 'detached' });
  // No certificate is there, and none comes.
  const { platformUrl } = await call<Project>('GET', '/projects/following');
  const address = `http://wiki.example.test:${new URL(platformUrl).port}`;
  const open = page.getByRole('link', { name: 'Open site' });
  assert.equal(await open.getAttribute('href'), address);
  await page.getByText('It can be turned on once the certificate is there.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Turn on' }).count(), 0);
});

test('whoever has a domain checked too often hears when that is possible again', async () => {
  const { page, call, path, url } = await withDomain('asking', 'ask.example.test');
  await page.goto(url);
  await page.getByRole('button', { name: 'Verify', exact: true }).waitFor();
  for (let asked = 0; asked < 10; asked += 1) await call('POST', `${path}/verify`);
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await page.getByText(/You can verify again in \d+ s/).waitFor();
});

test('HSTS is switched on after its warning, and a domain goes when its name is typed', async () => {
  const { page, call, path, url, domains, domain, complaints } = await withDomain(
    'ending',
    'old.example.test',
  );
  createRecords(domain);
  await call('POST', `${path}/verify`);
  // HSTS is for those with a certificate.
  await page.route(`**/api${path}`, async (route) => {
    const response = await route.fetch();
    if (response.status() === 204) return route.fulfill({ response });
    await route.fulfill({ response, json: { ...(await response.json()), state: 'active' } });
  });
  await page.goto(url);
  await page.getByRole('button', { name: 'Turn on' }).click();
  const dialog = dialogOf(page);
  await dialog.getByText('This cannot be taken back before its time is over.').waitFor();
  await dialog.getByLabel('Browsers remember it for').selectOption('A week');
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Turn HSTS on' }).click();
  await page.getByText('for 7 days after each visit, with all subdomains').waitFor();

  await page.getByRole('link', { name: 'All domains' }).click();
  await page.getByRole('switch').check();
  await said(page, 'now redirects to the primary domain.');
  const { redirectPlatformHost } = await call<Project>('GET', '/projects/ending');
  assert.equal(redirectPlatformHost, true);

  await page.getByRole('link', { name: 'old.example.test' }).click();
  await page.getByRole('button', { name: 'Remove the domain' }).click();
  const confirm = dialog.getByRole('button', { name: 'Remove it' });
  await dialog.getByText('stays reserved for this project').waitFor();
  const typed = dialog.getByLabel('Type old.example.test to confirm');
  await typed.fill('old.example');
  assert.equal(await confirm.isDisabled(), true);
  await typed.fill('old.example.test');
  await confirm.click();
  await page.waitForURL(domains);
  await page.getByText('No domains yet').waitFor();
  assert.deepEqual(withoutRefusals(complaints), []);
});

test('a switch stays as it was set, whatever was asked for before and arrives after', async () => {
  const { page, call, domains } = await withDomain('switching', 'switch.example.test');
  await page.clock.install();
  await page.goto(domains);
  const control = page.getByRole('switch');
  await control.waitFor();
  // What the switch shows, one after the other.
  await control.evaluate((element) => {
    const shown: (string | null)[] = [];
    Object.assign(globalThis, { shown });
    addEventListener('click', () => shown.push(String(element.matches(':checked'))));
    new MutationObserver(() => shown.push(element.getAttribute('aria-checked'))).observe(element, {
      attributeFilter: ['aria-checked'],
    });
  });
  const isAsked = Promise.withResolvers<void>();
  const isChanged = Promise.withResolvers<void>();
  let arrived = 0;
  await page.route('**/api/projects/switching', async (route) => {
    const response = await route.fetch();
    if (route.request().method() === 'GET') {
      isAsked.resolve();
      await isChanged.promise;
      arrived++;
    }
    await route.fulfill({ response });
  });
  // Whoever comes back to a page after a while has it look for what is new.
  await page.clock.fastForward(60_000);
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
  await isAsked.promise;
  await control.click();
  await said(page, 'now redirects to the primary domain.');
  isChanged.resolve();
  await timeUntil(async () => arrived > 0);
  await page.unrouteAll({ behavior: 'wait' });
  await settled(page);
  assert.deepEqual(await page.evaluate('shown'), ['true', 'true']);

  // Twice within the time of a request: the second is what counts.
  const isClicked = Promise.withResolvers<void>();
  let sent = 0;
  await page.route('**/api/projects/switching', async (route) => {
    if (route.request().method() === 'PATCH' && ++sent === 1) await isClicked.promise;
    await route.fulfill({ response: await route.fetch() });
  });
  await control.click();
  await timeUntil(async () => sent === 1);
  await control.click();
  await settled(page);
  isClicked.resolve();
  await timeUntil(async () => sent === 2);
  await page.unrouteAll({ behavior: 'wait' });
  assert.equal(await control.isChecked(), true);
  const { redirectPlatformHost } = await call<Project>('GET', '/projects/switching');
  assert.equal(redirectPlatformHost, true);
});

test('the link shows records and verdict to whoever has it on a telephone, until it is renewed', async () => {
  const { origin, browser } = shared();
  const { page, call, url, domain } = await withDomain('linked', 'help.example.test');
  const link = domain.link ?? '';
  const { pathname } = new URL(link);
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const phone = await context.newPage();
  const response = await phone.goto(`${origin}${pathname}`);
  assert.match(response?.headers()['referrer-policy'] ?? '', /^(?:same-origin|no-referrer)$/);
  assert.equal(await phone.locator('meta[name=robots]').getAttribute('content'), 'noindex');
  await phone.getByText('The project “Petstore” shows').waitFor();
  await phone
    .getByRole('table')
    .getByText(domain.records[0]?.value ?? '', { exact: true })
    .waitFor();
  assert.equal(await phone.getByRole('link').count(), 0, 'nothing else of the dashboard');
  createRecords(domain);
  await phone.getByRole('button', { name: 'Verify' }).click();
  await phone.getByRole('status').getByText('Verified').waitFor();

  const viewer = await shared().member();
  const invitation = { email: viewer.email, role: 'viewer' };
  const path = '/projects/linked/invitations';
  const invited = await call<CreatedInvitation>('POST', path, invitation);
  await viewer.call('POST', `${new URL(invited.link ?? '').pathname}/accept`);
  await viewer.page.goto(url);
  await viewer.page.getByRole('heading', { name: 'DNS records' }).waitFor();
  assert.equal(await viewer.page.getByText('Someone else has the DNS?').count(), 0);

  await page.goto(url);
  await page.getByText('Someone else has the DNS?').waitFor();
  await page.getByRole('button', { name: 'Renew link' }).click();
  await dialogOf(page).getByRole('button', { name: 'Renew the link' }).click();
  await said(page, 'The link is new; the old one has ended.');
  await page.getByText(link).first().waitFor({ state: 'detached' });
  await phone.reload();
  await phone.getByRole('heading', { name: 'This link has ended' }).waitFor();
});
