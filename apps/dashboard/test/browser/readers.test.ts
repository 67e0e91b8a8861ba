import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seriousViolations, watch } from '@petstore/test-support/browser.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import type { ReaderReport } from '../../server/src/readers/reader-report.ts';
import { startApi } from '../edge/support/request-proxy.ts';
import { tarGzOf } from '../support/archives.ts';
import {
  screenshot,
  sharedInstallation,
  type Visitor,
  withoutRefusals,
} from '../support/installation.ts';
import { FITS, look, VIEWS } from '../support/look.ts';
import { said } from '../support/said.ts';

// Readers of a site in a browser, and what its team sees of them.

const shared = sharedInstallation();

/** A browser that a person uses. The one of tests says that it is none. */
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const filesFor = (api: string) => ({
  'docs.yaml': 'title: Pets\nopenapi: openapi.yaml\n',
  'index.md': '# Pets\n\nBegin with the [webhooks](guides/webhooks.md).\n',
  'guides/webhooks.md': '# Webhooks\n\nThey tell what happens.\n',
  '404.md': '# Not here\n',
  'openapi.yaml': `openapi: 3.1.0
info: {title: Pets, version: '1'}
servers: [{url: '${api}'}]
paths:
  /pets:
    get: {operationId: listPets, summary: List pets, responses: {'200': {description: Pets.}}}
`,
});

async function deployFolder({ call }: Visitor, slug: string, files: Record<string, string>) {
  const entries = Object.entries(files).map(([name, content]) => ({ name, content }));
  const path = `/projects/${slug}/deploys`;
  const { id } = await call<Deploy>('POST', path, await tarGzOf(entries));
  await timeUntil(async () => {
    const { state, errors } = await call<Deploy>('GET', `${path}/${id}`);
    assert.notEqual(state, 'failed', JSON.stringify(errors));
    return state === 'succeeded';
  });
}

// The first: counts are stored at once where there were none for long, and later every few seconds.
test('without a script the form is sent, and the page thanks', async (t) => {
  const { browser, member, site } = shared();
  const owner = await member();
  await owner.call('POST', '/projects', { name: 'Plain', slug: 'plain' });
  await deployFolder(owner, 'plain', { 'docs.yaml': 'title: P', 'index.md': '# P\n\nText.\n' });
  const context = await browser.newContext({ userAgent: USER_AGENT, javaScriptEnabled: false });
  cleanUp(t, () => context.close());
  const page = await context.newPage();
  await page.goto(site('plain'));
  await page.getByRole('button', { name: 'Yes' }).click();
  await page.waitForURL(/#layout-thanks$/);
  await page.getByText('Thank you.').waitFor();
  await timeUntil(async () => {
    const { totals } = await owner.call<ReaderReport>('GET', '/projects/plain/readers');
    return totals.helpful === 1;
  });
});

test('what a person does on a site is there for its team, and nothing of the person', async (t) => {
  const installation = shared();
  const { browser, member, site } = installation;
  const api = await startApi(
    t,
    (_request, response) =>
      response.writeHead(404, { 'access-control-allow-origin': '*' }).end('{}'),
    '127.0.0.1',
  );
  const owner = await member();
  await owner.call('POST', '/projects', { name: 'Pets', slug: 'pets' });
  // Nothing is live yet, and then nobody has been there.
  await owner.page.goto(`${installation.origin}/projects/pets/readers`);
  await owner.page.getByText('Nothing is live yet.').waitFor();
  await deployFolder(owner, 'pets', filesFor(`http://localhost:${api.port}`));

  const context = await browser.newContext({ userAgent: USER_AGENT });
  cleanUp(t, () => context.close());
  const page = await context.newPage();
  const { complaints } = watch(page);
  const requests: { url: string; body: string }[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST')
      requests.push({ url: request.url(), body: request.postData() ?? '' });
  });
  await page.goto(site('pets'));
  const swapped = page.waitForRequest(/_site\/readers$/);
  await page.getByRole('link', { name: 'webhooks' }).last().click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  await swapped;

  // A search for nothing, which ends when the dialog is closed.
  await page.getByRole('button', { name: 'Search' }).click();
  const searched = page.waitForRequest(/_site\/readers$/);
  await page.getByRole('combobox').fill('Zebrafish');
  await page.getByText('Nothing found for').waitFor();
  await page.keyboard.press('Escape');
  await searched;

  // An answer, with the keyboard alone, and a sentence.
  const form = page.getByRole('group', { name: 'Was this page helpful?' });
  await form.getByRole('button', { name: 'No' }).focus();
  await page.keyboard.press('Enter');
  const status = page.locator('.docs-feedback [role=status]');
  await status.getByText('Thank you.', { exact: true }).waitFor();
  for (const view of VIEWS) {
    await page.emulateMedia({ colorScheme: view.colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width: view.width, height: 740 });
    assert.ok(await page.evaluate(FITS));
    await page.getByLabel('What is missing or wrong?').scrollIntoViewIfNeeded();
    await screenshot(page, `feedback-${view.name}`);
    assert.deepEqual(await seriousViolations(page), [], view.name);
  }
  await page.getByLabel('What is missing or wrong?').fill('<img src=x onerror=alert(1)> Where?');
  // A double click sends it once: the response comes after both.
  const isClicked = Promise.withResolvers<void>();
  await page.route('**/_site/feedback', async (route) => {
    await isClicked.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Send', exact: true }).dblclick();
  isClicked.resolve();
  await status.getByText('The authors of this page will read it.').waitFor();

  await page.setViewportSize({ width: 1280, height: 860 });
  await page.goto(`${site('pets')}/reference/operations/listPets`);
  await page.getByRole('button', { name: 'Try it' }).click();
  const tried = page.waitForRequest(/_site\/readers$/);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await tried;
  assert.equal((await page.goto(`${site('pets')}/guide/webhooks`))?.status(), 404);

  assert.deepEqual(
    requests.map(({ url, body }) => [new URL(url).pathname, ...new URLSearchParams(body)].flat()),
    [
      ['/_site/readers', 'event', 'view', 'page', '/guides/webhooks'],
      ['/_site/readers', 'event', 'search', 'query', 'Zebrafish', 'found', 'nothing'],
      ['/_site/feedback', 'page', '/guides/webhooks', 'helpful', 'no'],
      [
        ...['/_site/feedback', 'page', '/guides/webhooks', 'helpful', 'no'],
        ...['sentence', '<img src=x onerror=alert(1)> Where?', 'only', 'sentence'],
      ],
      ['/_site/readers', 'event', 'try', 'page', '/reference/operations/listPets', 'status', '4xx'],
    ],
  );
  assert.deepEqual(await context.cookies(), []);
  const kept = await page.evaluate(() => Object.keys({ ...localStorage, ...sessionStorage }));
  // Where the reader was on the page: nothing that is told.
  assert.deepEqual(kept.sort(), ['openTags', 'scrollPositions']);
  assert.deepEqual(withoutRefusals(complaints), []);

  await timeUntil(async () => {
    const report = await owner.call<ReaderReport>('GET', '/projects/pets/readers');
    const { views, missing, calls } = report.totals;
    return views === 3 && missing === 1 && calls === 1;
  });
  await look(owner.page, installation, {
    name: 'readers',
    path: '/projects/pets/readers',
    text: '<img src=x onerror=alert(1)> Where?',
  });
  const { page: team } = owner;
  await team.getByText('/guide/webhooks: /guides/webhooks').waitFor();
  await team.getByText('zebrafish').first().waitFor();
  await team.getByText('Show as a table').click();
  await team.getByRole('table', { name: /Views and requests of programs/ }).waitFor();
  await team.getByLabel('Period').selectOption('today');
  await team.getByText('By hour, in UTC.').waitFor();
  assert.equal(new URL(team.url()).search, '?period=today');
  await team.getByRole('button', { name: /Delete “<img/ }).click();
  await team.getByText('Nobody has written anything yet.').waitFor();

  // Who asks to be left out is.
  const hidden = await browser.newContext({
    userAgent: USER_AGENT,
    extraHTTPHeaders: { 'sec-gpc': '1' },
  });
  cleanUp(t, () => hidden.close());
  await hidden.addInitScript(
    'Object.defineProperty(navigator, "globalPrivacyControl", {value: true})',
  );
  const left = await hidden.newPage();
  let told = 0;
  left.on('request', (request) => {
    if (request.method() === 'POST') told += 1;
  });
  await left.goto(site('pets'));
  await left.getByRole('link', { name: 'webhooks' }).last().click();
  await left.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  assert.equal(told, 0);
  assert.deepEqual(owner.complaints, []);
});

test('an owner adds a script of analytics, which a page then loads, and removes it', async (t) => {
  const installation = shared();
  const { member, site, visitor } = installation;
  const owner = await member();
  await owner.call('POST', '/projects', { name: 'Stats', slug: 'stats' });
  await deployFolder(owner, 'stats', { 'docs.yaml': 'title: S', 'index.md': '# S\n\nText.\n' });
  const { page: settings } = owner;
  await settings.goto(`${installation.origin}/projects/stats/settings`);
  const save = settings.getByRole('button', { name: 'Save the script' });
  await settings.getByLabel('Address of the script').fill('https://stats.example.com/s.js');
  await settings.getByLabel('Attributes').fill('data-site=a data-label="b c"');
  await settings.getByLabel('Allowed origins').fill('http://stats.example.com');
  await save.click();
  await settings.getByText('is not an https origin').waitFor();
  await settings.getByLabel('Allowed origins').fill('https://stats.example.com');
  await save.click();
  await said(settings, 'The pages load your script.');
  await screenshot(settings, 'own-analytics');

  const { page, complaints } = await visitor();
  cleanUp(t, () => page.close());
  await page.route('https://stats.example.com/**', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      headers: { 'access-control-allow-origin': '*' },
      body: route.request().url().endsWith('s.js')
        ? 'const {site, label} = document.currentScript.dataset; fetch("https://stats.example.com/hit?" + site + label).then(() => { document.title = "counted"; });'
        : 'ok',
    }),
  );
  await page.goto(site('stats'));
  await timeUntil(async () => (await page.title()) === 'counted');
  assert.deepEqual(complaints, []);
  await settings.getByRole('button', { name: 'Remove it' }).click();
  await said(settings, 'The pages load no script of yours.');
  await page.goto(site('stats'));
  assert.equal(await page.locator('script[src*=stats]').count(), 0);
});
