import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seriousViolations } from '@petstore/test-support/browser.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import { startApi } from '../edge/support/request-proxy.ts';
import { zipOf } from '../support/archives.ts';
import { screenshot, sharedInstallation, type Visitor } from '../support/installation.ts';
import { FITS } from '../support/look.ts';

// A site with two documents as its readers have it: deployed by the API, in a browser, through the edge.

const shared = sharedInstallation();

const documentOf = (api: string, title: string, thing: string) => `openapi: 3.1.0
info: {title: ${title}, version: '2', description: All about ${thing}s.}
servers: [{url: '${api}/${thing}'}]
security: [{key: []}]
tags: [{name: First}, {name: Second}]
paths:
  /${thing}s:
    get:
      operationId: list-${thing}s
      summary: List ${thing}s
      tags: [First]
      responses: {'200': {description: OK}}
    post:
      operationId: create-${thing}
      summary: Create a ${thing}
      tags: [Second]
      responses: {'200': {description: OK}}
components:
  schemas: {Thing: {type: object}}
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
`;

const CONFIG = `title: Acme
references:
  - { openapi: openapi/payments.yaml, title: Payments, description: Charges and refunds. }
  - { openapi: openapi/accounts.yaml, title: Accounts }
`;

const archiveOf = (api: string) =>
  zipOf([
    { name: 'docs.yaml', content: CONFIG },
    { name: 'openapi/payments.yaml', content: documentOf(api, 'Payment service', 'charge') },
    { name: 'openapi/accounts.yaml', content: documentOf(api, 'Account service', 'account') },
    {
      name: 'start.md',
      content:
        '# Start\n\n[Charge](operation:payments/create-charge) <Operation id="list-accounts" />\n',
    },
  ]);

async function deployed({ call }: Visitor, slug: string, archive: Uint8Array, query = '') {
  const { id } = await call<Deploy>('POST', `/projects/${slug}/deploys${query}`, archive);
  for (let state = ''; state !== 'succeeded'; await sleep(50)) {
    const deploy = await call<Deploy>('GET', `/projects/${slug}/deploys/${id}`);
    state = deploy.state;
    assert.notEqual(state, 'failed', JSON.stringify(deploy));
  }
}

const VIEWS = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

test('two documents are read, searched, linked to and tried on one site, each with keys of its own', async (t) => {
  const { member, visitor, site } = shared();
  const api = await startApi(t, ({ headers }, response) =>
    response
      .writeHead(200, {
        'access-control-allow-origin': headers.origin ?? '*',
        'access-control-allow-headers': 'x-key',
        'content-type': 'application/json',
      })
      .end('{"ok":true}'),
  );
  const owner = await member();
  await owner.call('POST', '/projects', { name: 'Acme', slug: 'parcels' });
  const archive = archiveOf(api.url);
  await deployed(owner, 'parcels', archive);

  const { page, complaints } = await visitor();
  const origin = site('parcels');
  const shot = async (name: string) => {
    for (const { width, colorScheme } of VIEWS) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 860 });
      assert.ok(await page.evaluate(FITS), `${name} is scrolled sideways at ${width}`);
      // Themes differ in nothing else.
      const colorsOnly = colorScheme === 'dark';
      assert.deepEqual(await seriousViolations(page, { colorsOnly }), [], name);
      await screenshot(page, `references-${name}-${colorScheme}-${width}`);
    }
    await page.setViewportSize({ width: 1280, height: 860 });
  };
  await page.goto(`${origin}/reference`);
  await page.getByText('Charges and refunds.').waitFor();
  await shot('list');

  // From the list to an operation of a tag that is fetched, without a reload.
  await page.evaluate('globalThis.isSame = true');
  await page.locator('.api-list').getByRole('link', { name: 'Accounts' }).click();
  await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
  const sidebar = page.getByRole('navigation', { name: 'Pages' });
  await sidebar.getByRole('button', { name: 'Operations of Second' }).click();
  await sidebar.getByRole('link', { name: 'Create a account' }).click();
  await page.waitForURL(`${origin}/reference/accounts/second/create-account`);
  const apis = sidebar.locator('.nav-apis');
  assert.equal(await apis.locator('summary').innerText(), 'Accounts');
  await apis.locator('summary').click();
  await shot('operation');
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' });
  assert.deepEqual(await crumbs.getByRole('link').allInnerTexts(), [
    ...['API reference', 'Accounts', 'Second'],
  ]);

  // Within the API, the place in the list is marked; another API has a list of its own.
  await crumbs.getByRole('link', { name: 'Accounts' }).click();
  await page.waitForURL(`${origin}/reference/accounts`);
  const current = sidebar.locator('[aria-current=page]:not(.nav-apis a)');
  await current.filter({ hasText: 'Introduction' }).waitFor();
  assert.equal(await apis.getAttribute('open'), null);
  await apis.locator('summary').click();
  await apis.getByRole('link', { name: 'Payments' }).click();
  await page.waitForURL(`${origin}/reference/payments`);
  await sidebar.getByRole('button', { name: 'Operations of Second' }).click();
  await sidebar.getByRole('link', { name: 'Create a charge' }).waitFor();
  assert.equal(await sidebar.getByText('Create a account').count(), 0);
  assert.equal(await page.evaluate('globalThis.isSame'), true, 'no page was loaded anew');

  // The search says which API a result is of.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('list accounts');
  const option = page.getByRole('option').first();
  await option.getByText('Accounts', { exact: true }).waitFor();
  await shot('search');
  await option.click();
  await page.waitForURL(`${origin}/reference/accounts/first/list-accounts`);

  // Schemes of both APIs are called alike: a key of one is not offered to, nor kept for, the other.
  const send = async (key: string) => {
    await page.getByRole('button', { name: 'Try it' }).click();
    const field = page.getByLabel('header X-Key').or(page.getByLabel('X-Key'));
    const before = await field.inputValue();
    if (key !== '') await field.fill(key);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('status').filter({ hasText: '200 OK' }).waitFor();
    const { url, headers } = api.seen.filter(({ method }) => method !== 'OPTIONS').at(-1) ?? {};
    return [before, url, headers?.['x-key']];
  };
  assert.deepEqual(await send('of-accounts'), ['', '/account/accounts', 'of-accounts']);
  await page.getByLabel('Remember my keys in this browser').check();
  await shot('panel');
  await page.goto(`${origin}/reference/payments/first/list-charges`);
  assert.deepEqual(await send('of-payments'), ['', '/charge/charges', 'of-payments']);
  await page.goto(`${origin}/reference/accounts/first/list-accounts`);
  assert.deepEqual(await send(''), ['of-accounts', '/account/accounts', 'of-accounts']);

  // From a guide to an operation of each.
  await page.goto(`${origin}/start`);
  await shot('guide');
  await page.getByRole('link', { name: 'Charge', exact: true }).click();
  await page.waitForURL(`${origin}/reference/payments/second/create-charge`);
  assert.equal(await page.title(), 'Create a charge · Payments · Acme');
  await page.goBack();
  await page.getByRole('link', { name: 'List accounts' }).click();
  await page.waitForURL(`${origin}/reference/accounts/first/list-accounts`);
  assert.deepEqual(complaints, []);
});

test('a version of the site has its own references below its prefix', async () => {
  const { member, visitor, site } = shared();
  const owner = await member();
  await owner.call('POST', '/projects', { name: 'Versions', slug: 'of-versions' });
  await deployed(owner, 'of-versions', archiveOf('https://api.example.com'), '?version=v2');
  const { page, complaints } = await visitor();
  const origin = site('of-versions');
  await page.goto(`${origin}/v2/reference`);
  await page.locator('.api-list').getByRole('link', { name: 'Accounts' }).click();
  await page.waitForURL(`${origin}/v2/reference/accounts`);
  const sidebar = page.getByRole('navigation', { name: 'Pages' });
  await sidebar.getByRole('button', { name: 'Operations of Second' }).click();
  await sidebar.getByRole('link', { name: 'Create a account' }).click();
  await page.waitForURL(`${origin}/v2/reference/accounts/second/create-account`);
  await sidebar.locator('.nav-apis > summary').click();
  await sidebar.locator('.nav-apis').getByRole('link', { name: 'Payments' }).click();
  await page.waitForURL(`${origin}/v2/reference/payments`);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('list accounts');
  await page.getByRole('option').first().getByText('Accounts', { exact: true }).click();
  await page.waitForURL(`${origin}/v2/reference/accounts/first/list-accounts`);
  await page.goto(`${origin}/v2/start`);
  await page.getByRole('link', { name: 'Charge', exact: true }).click();
  await page.waitForURL(`${origin}/v2/reference/payments/second/create-charge`);
  assert.deepEqual(complaints, []);
});
