import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readDocsConfig } from '@petstore/site/guides/docs-config.ts';
import {
  type Guides,
  guidePages,
  guidesChangelog,
  guidesSite,
} from '@petstore/site/guides/guides-site.ts';
import { readCheckedDocument } from '@petstore/site/openapi/checked-document.ts';
import { referenceContext } from '@petstore/site/reference/reference-site.ts';
import {
  type Page,
  screenshot,
  seriousViolations,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { onceForFile } from '@petstore/test-support/once-for-file.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { silent } from '../../support/build-site.ts';
import { folderFiles } from '../../support/folder-files.ts';
import { FITS } from '../../support/look.ts';
import { serveSite } from '../../support/serve-site.ts';

// A site with guides as its readers have it: in a real browser, under its policy.

const PARCELS = fileURLToPath(new URL('fixtures/parcels', import.meta.url));

/** Pictures of pages, for people to look at; ignored by git. */
const SCREENSHOTS = fileURLToPath(new URL('../../screenshots', import.meta.url));

async function siteOf(parts: Omit<Guides, 'changelog'>) {
  const guides = { ...parts, changelog: guidesChangelog(parts, {}) };
  const { pages, problems } = await guidePages(guides, silent, { buildSeconds: 300 });
  assert.deepEqual(problems, []);
  const site = await guidesSite(guides, pages, silent);
  return { ...site, files: [...site.files] };
}

/** The same site for all tests, each at an origin of its own. */
async function serve(t: TestContext): Promise<string> {
  return serveSite(t, await parcels());
}

const parcels = onceForFile(async () => {
  const files = await folderFiles(PARCELS);
  const read = readDocsConfig(files, 'docs.yaml');
  const document = await readCheckedDocument(
    files.get('openapi.yaml') as Uint8Array,
    'x',
    () => {},
  );
  assert.ok('operations' in document);
  const reference = referenceContext(
    document,
    { overview: '/reference', images: new Set() },
    silent,
  );
  return siteOf({ files, config: read.config, references: [reference] });
});

const result = (page: Page) => page.getByRole('listbox').getByRole('option', { selected: true });

async function search(page: Page, query: string): Promise<void> {
  // The last query is still there, with its results, until those of this one come.
  const field = page.getByRole('combobox', { name: 'Search the documentation' });
  await field.fill('');
  await page.getByText('Type to search pages').waitFor();
  await field.fill(query);
  await result(page).waitFor();
}

/** Waits until the page at such an address is there, its scripts included. */
async function arrive(page: Page, url: RegExp): Promise<void> {
  await timeUntil(
    async () =>
      url.test(page.url()) &&
      (await page.evaluate('document.readyState').catch(() => '')) === 'complete',
  );
}

test('a reader finds pages and operations by the keyboard, in any alphabet', async (t) => {
  const origin = await serve(t);
  const page = await (await startBrowser(t)).newPage({ viewport: { width: 1280, height: 900 } });
  const { requests, complaints } = watch(page);
  await page.goto(`${origin}/guides/quickstart`);
  assert.equal(
    requests.some((request) => /search/.test(request)),
    false,
  );

  await page.keyboard.press('/');
  await search(page, 'rotat');
  assert.match((await result(page).textContent()) ?? '', /Rotate a key.*Authentication/s);
  assert.equal(await result(page).locator('mark').first().textContent(), 'Rotat');
  await screenshot(page, join(SCREENSHOTS, 'guides-search.png'));
  await page.keyboard.press('Enter');
  await arrive(page, /\/guides\/authentication#rotate-a-key$/);

  await page.keyboard.press('Control+k');
  await search(page, 'parcel');
  const first = await result(page).textContent();
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await result(page).textContent(), first);
  await page.keyboard.press('ArrowUp');
  assert.equal(await result(page).textContent(), first);
  const active = await page
    .getByRole('combobox', { name: 'Search the documentation' })
    .getAttribute('aria-activedescendant');
  assert.equal(active, await result(page).getAttribute('id'));
  await page.getByRole('combobox', { name: 'Search the documentation' }).fill('zzzz');
  await page.getByText('Nothing found for “zzzz”.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  for (const [query, url] of [
    ['追跡番号', /\/languages\/ja#/],
    ['отслеживани', /\/languages\/ru#/],
    ['cancel a parcel', /\/reference\/parcels\/cancelParcel$/],
    ['getLabel', /\/reference\/labels\/getLabel$/],
  ] as const) {
    await page.keyboard.press('Control+k');
    await search(page, query);
    await page.keyboard.press('Enter');
    await arrive(page, url);
  }

  // A name that is typed wrongly.
  await page.keyboard.press('Control+k');
  await search(page, 'webhoks');
  await page.keyboard.press('Enter');
  await arrive(page, /\/guides\/webhooks$/);
  assert.deepEqual(complaints, [], 'no script failed, and the policy was kept');
  assert.deepEqual(
    requests.filter((request) => !request.includes(origin)),
    [],
  );
});

test('what a page says is text in the search, whatever it looks like', async (t) => {
  const page = await (await startBrowser(t)).newPage();
  const read = readDocsConfig(new Map([['docs.yaml', Buffer.from('title: T')]]), 'docs.yaml');
  const markdown = '# Title \\<b>\n\nrepeat `<img src=x onerror=alert(2)>` here';
  const files = new Map([['a.md', Buffer.from(markdown)]]);
  const site = await siteOf({ files, config: read.config, references: [] });
  const origin = await serveSite(t, site);
  await page.goto(origin);
  await page.keyboard.press('/');
  await search(page, 'repeat');
  assert.match(
    (await result(page).textContent()) ?? '',
    /Title <b>.*<img src=x onerror=alert\(2\)>/s,
  );
  assert.equal(await page.locator('dialog img, dialog script').count(), 0);
});

test('code is copied, colours are chosen and kept, and without scripts everything can be read', async (t) => {
  const origin = await serve(t);
  const browser = await startBrowser(t);
  const context = await browser.newContext({ colorScheme: 'light' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  const page = await context.newPage();
  await page.goto(`${origin}/guides/quickstart`);
  await page.getByRole('button', { name: 'Copy code' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  assert.equal(
    await page.evaluate('navigator.clipboard.readText()'),
    'npm install @parcels/client\n# or\npip install parcels\n',
  );
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  assert.equal(await ground(), 'rgb(255, 255, 255)');
  await page.getByRole('button', { name: 'Colours: system' }).click();
  await page.getByRole('button', { name: 'Colours: light' }).click();
  assert.equal(await ground(), 'rgb(15, 17, 22)');
  await page.goto(`${origin}/reference`);
  assert.equal(await ground(), 'rgb(15, 17, 22)', 'the choice is kept');

  const plain = await browser.newContext({ javaScriptEnabled: false });
  const still = await plain.newPage();
  await still.setViewportSize({ width: 360, height: 740 });
  await still.goto(`${origin}/guides/quickstart`);
  assert.ok(await still.getByRole('link', { name: 'Webhooks' }).isVisible());
  // Those of the question at the end work without a script.
  assert.equal(await still.locator('button:visible:not(.docs-feedback button)').count(), 0);
});

test('on a phone the list of pages opens and closes by the keyboard', async (t) => {
  const origin = await serve(t);
  const page = await (await startBrowser(t)).newPage({ viewport: { width: 360, height: 740 } });
  await page.goto(`${origin}/guides/quickstart`);
  const menu = page.getByRole('button', { name: 'Pages' });
  const webhooks = page.getByRole('link', { name: 'Webhooks' });
  assert.equal(await webhooks.isVisible(), false);
  await menu.focus();
  await page.keyboard.press('Enter');
  assert.ok(await webhooks.isVisible());
  assert.equal(await menu.getAttribute('aria-expanded'), 'true');
  const box = await page.locator('#layout-nav').boundingBox();
  assert.equal((box?.y ?? 0) + (box?.height ?? 0), 740, 'the list covers the page below it');
  assert.equal(await page.evaluate('document.activeElement.closest("nav").id'), 'layout-nav');
  await page.keyboard.press('Escape');
  assert.equal(await webhooks.isVisible(), false);
  assert.match(String(await page.evaluate('document.activeElement.className')), /site-menu/);
  await menu.click();
  await webhooks.click();
  await arrive(page, /\/guides\/webhooks$/);
});

test('on a phone the reference has its own list, with the way to the guides', async (t) => {
  const origin = await serve(t);
  const page = await (await startBrowser(t)).newPage({ viewport: { width: 360, height: 740 } });
  await page.goto(`${origin}/reference/parcels/getParcel`);
  await page.getByRole('button', { name: 'Pages' }).click();
  await screenshot(page, join(SCREENSHOTS, 'guides-reference-menu.png'));
  const list = page.locator('#layout-nav');
  const current = list.getByRole('link', { name: 'Follow a parcel' });
  assert.equal(await current.getAttribute('aria-current'), 'page');
  assert.ok(await list.getByRole('link', { name: 'Labels' }).isVisible());
  await list.getByRole('link', { name: 'Guides' }).click();
  await arrive(page, /:\d+\/$/);
});

test('headings and Markdown are offered from 1,200 px on', async (t) => {
  const origin = await serve(t);
  const page = await (await startBrowser(t)).newPage({ viewport: { width: 1200, height: 800 } });
  await page.goto(`${origin}/guides/quickstart`);
  assert.ok(await page.getByText('On this page').isVisible());
  assert.ok(await page.getByRole('link', { name: 'View as Markdown' }).isVisible());
  await page.setViewportSize({ width: 1199, height: 800 });
  assert.equal(await page.getByText('On this page').isVisible(), false);
});

test('footnotes begin right below their line', async (t) => {
  const read = readDocsConfig(new Map([['docs.yaml', Buffer.from('title: T')]]), 'docs.yaml');
  const files = new Map([['a.md', Buffer.from('# A\n\nText.[^1]\n\n[^1]: The note.\n')]]);
  const site = await siteOf({ files, config: read.config, references: [] });
  const page = await (await startBrowser(t)).newPage();
  await page.goto(await serveSite(t, site));
  const notes = await page.locator('.footnotes').boundingBox();
  const note = await page.getByText('The note.').boundingBox();
  assert.ok(notes && note && note.y - notes.y < 40, JSON.stringify({ notes, note }));
});

test('pages are legible in the light, in the dark and on a phone, and to those who cannot see them', async (t) => {
  const origin = await serve(t);
  const browser = await startBrowser(t);
  const looks = [
    { name: 'light', width: 1440, height: 900, colorScheme: 'light' },
    { name: 'dark', width: 1024, height: 800, colorScheme: 'dark' },
    { name: 'phone', width: 360, height: 740, colorScheme: 'dark' },
  ] as const;
  const context = await browser.newContext({ reducedMotion: 'reduce', bypassCSP: true });
  for (const path of [
    ...['', 'guides/quickstart', 'guides/authentication', 'nowhere'],
    ...['reference', 'reference/parcels', 'reference/parcels/createParcel'],
  ]) {
    const page = await context.newPage();
    await page.goto(`${origin}/${path}`);
    for (const { name, width, height, colorScheme } of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      const file = `guides-${path.replaceAll('/', '-') || 'start'}-${name}.png`;
      await screenshot(page, join(SCREENSHOTS, file));
      assert.ok(await page.evaluate(FITS), `${path} is wider than a ${name} screen`);
      const serious = await seriousViolations(page);
      assert.deepEqual(serious, [], `${path}, ${name}`);
    }
    await page.close();
  }
});
