import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { seriousViolations, startBrowser, watch } from '@petstore/test-support/browser.ts';
import { onceForFile } from '@petstore/test-support/once-for-file.ts';
import { coverNothing } from '@petstore/test-support/program.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { zipOf } from '../../support/archives.ts';
import { buildInMemory, filesOf, textOf } from '../../support/build-site.ts';
import { FITS } from '../../support/look.ts';
import { serveSite } from '../../support/serve-site.ts';

coverNothing();

// The page for missing paths: the site's own, or the one that every site has.

const OWN = `---
description: Nothing is at this address.
---

# Lost a parcel?

Go to [the start](guides/start.md#first) or look at this:

![A parcel](images/parcel.svg)
`;

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"/>';

async function build(files: Record<string, string>) {
  const all = {
    'docs.yaml': 'title: Parcels',
    'guides/start.md': '# Start\n\n## First\n\nSend a parcel.\n',
    'images/parcel.svg': SVG,
    ...files,
  };
  const log: string[] = [];
  const bytes = zipOf(Object.entries(all).map(([name, content]) => ({ name, content })));
  const result = await buildInMemory({ kind: 'zip', bytes, name: 'docs.zip' }, ({ message }) =>
    log.push(message),
  );
  assert.ok('artifact' in result, JSON.stringify(result));
  return { artifact: result.artifact, log };
}

const own = onceForFile(() => build({ '404.md': OWN }));
const usual = onceForFile(() => build({}));

async function open(
  t: TestContext,
  site: typeof own,
  { javaScriptEnabled = true, width = 1280 } = {},
) {
  const { artifact } = await site();
  const origin = await serveSite(t, filesOf(artifact));
  const browser = await startBrowser(t);
  const context = await browser.newContext({ javaScriptEnabled, viewport: { width, height: 800 } });
  const page = await context.newPage();
  const watched = watch(page);
  const response = await page.goto(`${origin}/a/path/that/is/gone`);
  assert.equal(response?.status(), 404);
  return { page, origin, ...watched };
}

test('404.md is shown for missing paths, with links and images from the root, and in no list', async (t) => {
  const { page, origin } = await open(t, own);
  await page.getByRole('heading', { level: 1, name: 'Lost a parcel?' }).waitFor();
  assert.equal(await page.title(), 'Lost a parcel? · Parcels');
  const image = page.getByRole('img', { name: 'A parcel' });
  await timeUntil(() => image.evaluate((shown) => (shown as HTMLImageElement).naturalWidth === 20));
  assert.equal(
    await page.locator('meta[name=robots]').getAttribute('content'),
    'noindex',
    'search engines leave it out',
  );
  await page.getByRole('link', { name: 'the start' }).click();
  await page.waitForURL(`${origin}/guides/start#first`);

  const { artifact, log } = await own();
  const files = Object.keys(artifact.manifest.files);
  assert.deepEqual(
    files.filter((path) => path.startsWith('/404')),
    ['/404.html'],
  );
  for (const path of files.filter((one) => /^\/(?:llms|sitemap|_site\/)|^\/$/.test(one)))
    assert.ok(!textOf(artifact, path).includes('Lost a parcel'), path);
  assert.ok(!log.some((line) => line.includes('404.md')), log.join('\n'));
});

test('a link in 404.md that leads nowhere fails the deploy', async () => {
  const bytes = zipOf([
    { name: 'docs.yaml', content: 'title: D' },
    { name: 'index.md', content: '# Start\n' },
    { name: '404.md', content: '# Lost\n\n[x](gone.md)\n' },
  ]);
  const result = await buildInMemory({ kind: 'zip', bytes, name: 'docs.zip' });
  assert.ok('problems' in result);
  assert.deepEqual(
    result.problems.map(({ path, line }) => [path, line]),
    [['404.md', 3]],
  );
});

for (const [which, site] of [
  ['its own', own],
  ['the usual', usual],
] as const) {
  test(`the page for missing paths has the search in it, by the keyboard too: ${which}`, async (t) => {
    const { page, complaints } = await open(t, site);
    const main = page.getByRole('main');
    await main.getByRole('button', { name: 'Search the documentation' }).focus();
    await page.keyboard.press('Enter');
    const field = page.getByRole('combobox', { name: 'Search the documentation' });
    await field.fill('parcel');
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    assert.deepEqual(
      complaints.filter((one) => !one.includes('404')),
      [],
    );
  });

  test(`without scripts it leads to the list of pages: ${which}`, async (t) => {
    const { page, origin } = await open(t, site, { javaScriptEnabled: false });
    const main = page.getByRole('main');
    assert.equal(await main.getByRole('button').count(), 0);
    await main.getByRole('link', { name: 'All pages' }).click();
    await page.waitForURL(`${origin}/_site/pages`);
    await page.getByRole('main').getByRole('link', { name: 'Start' }).waitFor();
  });

  test(`it is sound on a phone and a desk, in the light and in the dark: ${which}`, async (t) => {
    const { page } = await open(t, site, { width: 360 });
    assert.ok(await page.evaluate(FITS));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.reload();
      const serious = await seriousViolations(page, { colorsOnly: colorScheme === 'dark' });
      assert.deepEqual(serious, [], colorScheme);
    }
  });
}
