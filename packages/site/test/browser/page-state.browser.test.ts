import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Page, settled, startBrowser } from '@petstore/test-support/browser.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { serveHandMadeSite } from './support/hand-made-site.ts';

// What a page that is loaded shows of what the reader did before, or asks for by its address.

/** Adds up how far things moved that were seen already, as the Layout Instability API counts it. */
const SHIFTS = `
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shifts += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** As much as a page may move. */
const MAX_SHIFT = 0.01;

async function open(t: TestContext, path: string) {
  const site = await serveHandMadeSite(t);
  const browser = await startBrowser(t);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.addInitScript(SHIFTS);
  await page.goto(site.origin + path);
  return { ...site, page };
}

const toggle = (page: Page, tag: string) =>
  page.getByRole('button', { name: `Operations of ${tag}` });

const entry = (page: Page, name: string | RegExp) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name });

const shifts = (page: Page) => page.evaluate('shifts') as Promise<number>;

test('tags that the reader opened are open when another page is loaded, before a script of the page runs', async (t) => {
  const { page, origin } = await open(t, '/reference/pets/listPets');
  await toggle(page, 'Store').click();
  await entry(page, /List orders/).waitFor();
  await toggle(page, 'Many').click();
  await entry(page, /Operation 0/).waitFor();

  let goOn = () => {};
  const isHeld = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route(/\/site-[^/]*\.js$/, async (route) => {
    await isHeld;
    await route.continue();
  });
  await page.goto(`${origin}/reference/pets/createPet`, { waitUntil: 'commit' });
  await entry(page, /List orders/).waitFor();
  await entry(page, 'Many').waitFor();
  assert.equal(await page.locator('.nav-toggle').count(), 0, 'no script has run');
  assert.equal(await page.locator('.nav-tag').nth(2).locator('li').count(), 1_500);
  assert.equal(await page.locator('.nav-tag > ul').count(), 3, 'that of the page comes with it');
  goOn();
  await toggle(page, 'Store').waitFor();
  assert.equal(await toggle(page, 'Store').getAttribute('aria-expanded'), 'true');
  await settled(page);
  assert.ok((await shifts(page)) <= MAX_SHIFT, `moved ${await shifts(page)}`);

  await toggle(page, 'Store').click();
  await page.goto(`${origin}/start`);
  await page.goto(`${origin}/reference`);
  await entry(page, /Operation 0/).waitFor();
  await entry(page, /List animals/).waitFor();
  assert.equal(await entry(page, /List orders/).count(), 0, 'closed before');
});

test('an open tag has the operations of the deploy that the reader sees', async (t) => {
  const { page, origin, served } = await open(t, '/reference/pets/listPets');
  await toggle(page, 'Store').click();
  await entry(page, /List orders/).waitFor();
  const file = served.get('/_site/navigation.json');
  assert.ok(file);
  const content = String(file.content).replace('List orders', 'List all orders');
  served.set('/_site/navigation.json', { ...file, content });
  await page.goto(`${origin}/reference/pets/createPet`);
  await entry(page, /List all orders/).waitFor();
  assert.equal(await entry(page, /List orders/).count(), 0);
});

const box = (page: Page) => page.locator('details[id="404"]');

/** The box is open, and its head is within the window. */
async function isShown(page: Page) {
  await box(page).getByText('Not found.').waitFor();
  await timeUntil(() =>
    box(page).evaluate((element) => {
      const { top } = element.getBoundingClientRect();
      return top >= 0 && top < innerHeight / 2;
    }),
  );
}

const close = (page: Page) =>
  page.evaluate(`
    document.getElementById('404').open = false;
    scrollTo(0, 0);
  `);

test('a box that the address names is open and in view', async (t) => {
  const { page, origin } = await open(t, '/reference/pets/listPets#404');
  await isShown(page);
  await close(page);
  await page.getByRole('link', { name: 'What is not found' }).click();
  // Although the address stays the same.
  await isShown(page);
  await page.goto(`${origin}/reference/pets/listPets`);
  await page.getByRole('link', { name: 'What is not found' }).click();
  await isShown(page);
  await close(page);
  await page.evaluate("location.hash = 'responses'");
  await page.evaluate("location.hash = '404'");
  await isShown(page);
  await page.goto(`${origin}/reference/pets/createPet`);
  await page.evaluate(`
    const link = document.createElement('a');
    link.href = '/reference/pets/listPets#404';
    link.textContent = 'elsewhere';
    document.querySelector('main, .docs-body').prepend(link);
  `);
  await page.getByRole('link', { name: 'elsewhere' }).click();
  await page.getByRole('heading', { level: 1, name: 'List animals' }).waitFor();
  // On a page that is swapped in.
  await isShown(page);
});
