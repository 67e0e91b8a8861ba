import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type Page,
  seriousViolations,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { type HandMadeSite, serveHandMadeSite } from './support/hand-made-site.ts';

// What the script of every page does, in a real browser.

interface Options {
  readonly width?: number;
  readonly javaScriptEnabled?: boolean;
}

async function open(
  t: TestContext,
  path: string,
  { width = 1280, javaScriptEnabled = true }: Options = {},
) {
  const site = await serveHandMadeSite(t);
  const browser = await startBrowser(t);
  const context = await browser.newContext({ viewport: { width, height: 800 }, javaScriptEnabled });
  const page = await context.newPage();
  const watched = watch(page);
  await page.goto(site.origin + path);
  if (javaScriptEnabled) await page.evaluate('document.kept = true');
  return { ...site, page, ...watched };
}

/** Whether the page was swapped in, and not loaded. */
const isKept = (page: Page) => page.evaluate('document.kept === true');

const link = (page: Page, name: string | RegExp) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

const scrolled = (page: Page) => page.evaluate('scrollY') as Promise<number>;

/** Waits until the page is scrolled so far. */
const isScrolledTo = (page: Page, top: number) =>
  timeUntil(async () => (await scrolled(page)) === top);

async function isAt(page: Page, { origin }: HandMadeSite, path: string, title: string) {
  await heading(page, title).waitFor();
  assert.equal(page.url(), origin + path);
}

test('a click swaps the page: its title, head, entry and focus, without a reload', async (t) => {
  const { page, complaints, ...site } = await open(t, '/reference/pets/listPets');
  const list = link(page, /List animals/);
  assert.equal(await list.getAttribute('aria-current'), 'page');
  await link(page, /Add an animal/).click();
  await isAt(page, site, '/reference/pets/createPet', 'Add an animal');
  assert.ok(await isKept(page));
  assert.equal(await page.title(), 'Add an animal · Petstore');
  const description = page.locator('meta[name=description]');
  assert.equal(await description.getAttribute('content'), 'About Add an animal.');
  const markdown = page.locator('link[type="text/markdown"]');
  assert.equal(await markdown.getAttribute('href'), '/reference/pets/createPet.md');
  assert.equal(await list.getAttribute('aria-current'), null);
  assert.equal(await link(page, /Add an animal/).getAttribute('aria-current'), 'page');
  assert.equal(await page.evaluate('document.activeElement.id'), 'layout-content');
  assert.equal(await page.locator('[aria-live]').textContent(), 'Add an animal · Petstore');
  await page.getByRole('button', { name: 'Copy code' }).waitFor();
  assert.deepEqual(complaints, []);
  assert.deepEqual(await seriousViolations(page), []);
});

test('back and forward show the pages as they were left, a reload too', async (t) => {
  const { page, ...site } = await open(t, '/reference/pets/listPets');
  await page.evaluate('scrollTo(0, 700)');
  await link(page, /Add an animal/).click();
  await isAt(page, site, '/reference/pets/createPet', 'Add an animal');
  assert.equal(await scrolled(page), 0);
  await page.evaluate('scrollTo(0, 300)');
  await page.goBack();
  await isAt(page, site, '/reference/pets/listPets', 'List animals');
  await isScrolledTo(page, 700);
  await page.goForward();
  await isAt(page, site, '/reference/pets/createPet', 'Add an animal');
  await isScrolledTo(page, 300);
  assert.ok(await isKept(page));
  await page.reload();
  await page.goBack();
  await isAt(page, site, '/reference/pets/listPets', 'List animals');
  await isScrolledTo(page, 700);
});

test('a fragment is gone to, within a page and on another one, and back leads to where the reader was', async (t) => {
  const { page, ...site } = await open(t, '/start');
  const isFarDown = () => timeUntil(async () => (await scrolled(page)) > 500);
  const isAtTop = () => timeUntil(async () => (await scrolled(page)) === 0);
  await page.getByRole('link', { name: 'Second' }).click();
  await isFarDown();
  await page.goBack();
  await isAtTop();
  await page.getByRole('link', { name: 'the responses' }).click();
  await isAt(page, site, '/reference/pets/listPets#responses', 'List animals');
  await page.locator('#responses:target').waitFor();
  await isFarDown();
  await page.goBack();
  await isAt(page, site, '/start', 'Start');
  await isAtTop();
  assert.ok(await isKept(page));
});

test('a page is fetched once, as soon as the pointer rests on a link', async (t) => {
  const { page, requests, origin } = await open(t, '/reference/pets/listPets');
  const target = `GET ${origin}/reference/pets/createPet`;
  const fetched = page.waitForResponse(target.replace('GET ', ''));
  await link(page, /Add an animal/).hover();
  await fetched;
  await link(page, /Add an animal/).click();
  await heading(page, 'Add an animal').waitFor();
  assert.deepEqual(
    requests.filter((request) => request === target),
    [target],
  );
});

test('what is no page of this deploy is loaded by the browser', async (t) => {
  const { page, served, origin, ...site } = await open(t, '/start');
  await page.getByRole('link', { name: 'a page that is gone' }).click();
  await isAt(page, { origin, served, ...site }, '/gone', 'Page not found');
  assert.ok(!(await isKept(page)), 'a missing page');

  await page.goto(`${origin}/start`);
  await page.getByRole('link', { name: 'the document' }).click();
  await page.waitForURL(`${origin}/openapi.json`);

  await page.goto(`${origin}/start`);
  await page.evaluate('document.kept = true');
  const file = served.get('/errors');
  const later = String(file?.content).replace(/site-(?=\w+\.js)/, 'site-later-');
  if (file) served.set('/errors', { ...file, content: later });
  await link(page, 'Errors').click();
  await heading(page, 'Errors').waitFor();
  assert.ok(!(await isKept(page)), 'a page of a later deploy');
});

test('a click with a key, which means another tab or a download, is left to the browser', async (t) => {
  const { page } = await open(t, '/reference/pets/listPets');
  await page.evaluate(`addEventListener('click', (event) => {
    document.isLeft = !event.defaultPrevented;
    event.preventDefault();
  })`);
  for (const modifier of ['Control', 'Shift', 'Alt', 'Meta'] as const) {
    await link(page, /Add an animal/).click({ modifiers: [modifier] });
    assert.ok(await page.evaluate('document.isLeft'), modifier);
  }
  await link(page, /Add an animal/).click();
  assert.ok(!(await page.evaluate('document.isLeft')));
});

test('closed tags open in place, are fetched once, and stay open on other pages', async (t) => {
  const { page, requests, ...site } = await open(t, '/reference/pets/listPets');
  const store = page.getByRole('button', { name: 'Operations of Store' });
  assert.equal(await store.getAttribute('aria-expanded'), 'false');
  assert.equal(await link(page, /List orders/).count(), 0);
  await store.click();
  await link(page, /List orders/).waitFor();
  assert.equal(await store.getAttribute('aria-expanded'), 'true');
  await page.getByRole('button', { name: 'Operations of Many' }).click();
  await link(page, 'GET Operation 1499').waitFor();
  const data = requests.filter((request) => request.endsWith('/_site/navigation.json'));
  assert.equal(data.length, 1);

  await link(page, 'GET Operation 1400').click();
  await isAt(page, site, '/reference/many/many1400', 'Operation 1400');
  assert.ok(await link(page, /List orders/).isVisible());
  await page.getByRole('button', { name: 'Operations of Pets' }).click();
  assert.ok(await link(page, /List animals/).isHidden());
  await page.goBack();
  await heading(page, 'List animals').waitFor();
  assert.ok(await link(page, /List animals/).isVisible(), 'the current entry is seen');
});

test('the entry of the page is in view, however long the list', async (t) => {
  const { page, ...site } = await open(t, '/reference/many/many1400');
  const isInView = () => timeUntil(() => link(page, 'GET Operation 1400').evaluate(inView));
  await isInView();
  await link(page, 'Pets').click();
  await isAt(page, site, '/reference/pets', 'Pets');
  await page.goBack();
  await heading(page, 'Operation 1400').waitFor();
  await isInView();
});

function inView(element: { getBoundingClientRect(): { top: number; bottom: number } }): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 60 && bottom <= 800;
}

test('on a phone a button opens the list over the page, and Escape or a choice closes it', async (t) => {
  const { page, ...site } = await open(t, '/reference/pets/listPets', { width: 360 });
  const menu = page.getByRole('button', { name: 'Pages' });
  const entry = link(page, /Add an animal/);
  assert.ok(await entry.isHidden());
  await menu.click();
  assert.ok(await entry.isVisible());
  assert.equal(await menu.getAttribute('aria-expanded'), 'true');
  const focused = await page.evaluate('document.activeElement.textContent');
  assert.match(String(focused), /List animals/);
  await page.keyboard.press('Escape');
  assert.ok(await entry.isHidden());
  await menu.click();
  await entry.click();
  await isAt(page, site, '/reference/pets/createPet', 'Add an animal');
  assert.ok(await entry.isHidden());
  const width = await page.evaluate('document.documentElement.scrollWidth');
  assert.equal(width, 360);
});

test('an address of the time when the reference was one page leads to the page of today', async (t) => {
  const { page, ...site } = await open(t, '/start');
  await page.goto(`${site.origin}/reference#tag/pets/GET/listPets`);
  await page.waitForURL(/listPets$/);
  await isAt(page, site, '/reference/pets/listPets', 'List animals');
});

test('code and the Markdown of a page are copied by a button', async (t) => {
  const { page, served, complaints } = await open(t, '/reference/pets/listPets');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const path = '/reference/pets/listPets.md';
  served.set(path, { path, type: 'text/markdown; charset=utf-8', content: '# List animals' });
  const copied = async (button: string) => {
    await page.locator(button).click();
    await page.locator(button, { hasText: /^Copied/ }).waitFor();
    return page.evaluate('navigator.clipboard.readText()');
  };
  assert.equal(await copied('.page-copy'), '# List animals');
  assert.equal(await copied('.code-copy'), '{"of":"List animals"}');
  assert.deepEqual(complaints, []);
});

test('the choice of colours is kept from page to page, and over a reload', async (t) => {
  const { page } = await open(t, '/start');
  const button = page.getByRole('button', { name: /^Colours/ });
  await button.click();
  await button.click();
  await link(page, 'Errors').click();
  await heading(page, 'Errors').waitFor();
  await page.reload();
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
  assert.equal(await button.getAttribute('aria-label'), 'Colours: dark');
  assert.deepEqual(await seriousViolations(page), []);
});

test('what is typed while the search is being loaded is searched for', async (t) => {
  const { page } = await open(t, '/reference/pets/listPets');
  const { promise: isHeld, resolve: goOn } = Promise.withResolvers<void>();
  await page.route(/\/search-[^/]*\.js$/, async (route) => {
    await isHeld;
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('an/k');
  goOn();
  const field = page.getByRole('combobox', { name: 'Search the documentation' });
  await field.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('imal');
  assert.equal(await field.inputValue(), 'an/kimal');
});

test('without scripts all links work, and nothing is shown that needs one', async (t) => {
  const { page, ...site } = await open(t, '/reference/pets/listPets', { javaScriptEnabled: false });
  assert.equal(await page.locator('button:visible').count(), 0);
  await link(page, 'Store').click();
  await isAt(page, site, '/reference/store', 'Store');
  await link(page, /List orders/).click();
  await isAt(page, site, '/reference/store/listOrders', 'List orders');
});
