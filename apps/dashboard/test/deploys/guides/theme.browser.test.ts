import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { type Page, startBrowser, watch } from '@petstore/test-support/browser.ts';
import { coverNothing } from '@petstore/test-support/program.ts';
import { zipOf } from '../../support/archives.ts';
import { buildInMemory, filesOf } from '../../support/build-site.ts';
import { serveSite } from '../../support/serve-site.ts';

coverNothing();

const FONT = new URL(
  '../../../../../packages/site/test/guides/fixtures/variable.woff2',
  import.meta.url,
);

const ORIGIN = 'https://pets.docs.example.com';

async function serveGuides(t: TestContext, theme: string): Promise<string> {
  const bytes = zipOf([
    { name: 'docs.yaml', content: `title: Pets\ntheme: ${theme}` },
    { name: 'index.md', content: '# Start\n\nWith `code`.\n' },
    { name: 'font.woff2', content: await readFile(FONT) },
  ]);
  const publication = { origin: ORIGIN };
  const result = await buildInMemory({ kind: 'zip', bytes, name: 'docs.zip', publication });
  assert.ok('artifact' in result, JSON.stringify(result));
  return serveSite(t, filesOf(result.artifact));
}

test('a page has the fonts of its theme, and loads each once', async (t) => {
  const origin = await serveGuides(t, '{ fonts: { body: font.woff2, code: font.woff2 } }');
  const browser = await startBrowser(t);
  const page = await browser.newPage();
  const { requests, complaints } = watch(page);
  await page.goto(origin, { waitUntil: 'load' });
  await page.evaluate('document.fonts.ready.then(() => true)');
  assert.deepEqual(
    await page.evaluate(
      '[...document.fonts].map(({ family, status }) => family + " " + status).sort()',
    ),
    ['Site body loaded', 'Site code loaded'],
  );
  const family = (selector: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).fontFamily`);
  assert.match(String(await family('body')), /^"Site body"/);
  assert.match(String(await family('article code')), /^"Site code"/);
  assert.equal(requests.filter((one) => one.endsWith('.woff2')).length, 2);
  assert.deepEqual(complaints, []);
});

test('readers load neither fonts that a theme lacks nor the preview image', async (t) => {
  const origin = await serveGuides(t, '{ color: "#7c3aed" }');
  const browser = await startBrowser(t);
  const page = await browser.newPage();
  const { requests, complaints } = watch(page);
  const response = await page.goto(origin, { waitUntil: 'load' });
  assert.doesNotMatch(response?.headers()['content-security-policy'] ?? '', /font-src/);
  const image = await page.locator('meta[property="og:image"]').getAttribute('content');
  assert.ok(image?.startsWith(`${ORIGIN}/_assets/preview-`), `${image}`);
  assert.deepEqual(
    requests.filter((one) => /preview-|woff2/.test(one)),
    [],
  );
  assert.deepEqual(complaints, []);
});

test('the bar of a phone’s browser has the colours of the page', async (t) => {
  const origin = await serveGuides(t, '{ color: "#7c3aed" }');
  const browser = await startBrowser(t);
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ colorScheme });
    await page.goto(origin);
    assert.deepEqual(...(await barAndPaper(page)));
    // System, light, dark: and what was chosen stays so with the next page.
    for (const chosen of ['light', 'dark'] as const) {
      await page.getByRole('button', { name: /^Colours/ }).click();
      assert.deepEqual(...(await barAndPaper(page)), `${chosen} on a ${colorScheme} system`);
      await page.reload();
      assert.deepEqual(...(await barAndPaper(page)), `${chosen} after a reload`);
    }
    await page.close();
  }
});

/** The colours of the browser's bar, of which there must be one, and that of the page. */
async function barAndPaper(page: Page): Promise<[bars: unknown, paper: unknown[]]> {
  const bars = await page.evaluate(`
    [...document.querySelectorAll('meta[name="theme-color"]')]
      .filter(({ media }) => matchMedia(media).matches)
      .map(({ content }) => {
        const probe = document.body.appendChild(document.createElement('i'));
        probe.style.color = content;
        return getComputedStyle(probe).color;
      })`);
  return [bars, [await page.evaluate('getComputedStyle(document.body).backgroundColor')]];
}
