import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { type Page, startBrowser, watch } from '@petstore/test-support/browser.ts';
import { coverNothing } from '@petstore/test-support/program.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { zipOf } from '../../support/archives.ts';
import { buildInMemory, filesOf } from '../../support/build-site.ts';
import { serveSite } from '../../support/serve-site.ts';

coverNothing();

const FONT = new URL(
  '../../../../../packages/site/test/guides/fixtures/variable.woff2',
  import.meta.url,
);

const ORIGIN = 'https://pets.docs.example.com';

const LINE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 4h9" stroke="red"/></svg>';

async function serveGuides(t: TestContext, theme: string, css = ''): Promise<string> {
  const bytes = zipOf([
    { name: 'docs.yaml', content: `title: Pets\ntheme: ${theme}` },
    { name: 'index.md', content: '# Start\n\nWith `code`.\n' },
    { name: 'font.woff2', content: await readFile(FONT) },
    { name: 'brand.css', content: css },
    { name: 'images/line.svg', content: LINE },
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
  // They are asked for when the page is laid out first, which may be after its load.
  await timeUntil(async () => {
    const fonts = await page.evaluate(
      '[...document.fonts].map(({ family, status }) => family + " " + status).sort().join()',
    );
    return fonts === 'Site body loaded,Site code loaded';
  });
  const family = (selector: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).fontFamily`);
  assert.match(String(await family('body')), /^"Site body"/);
  assert.match(String(await family('article code')), /^"Site code"/);
  assert.equal(requests.filter((one) => one.endsWith('.woff2')).length, 2);
  assert.deepEqual(complaints, []);
});

test('a style of one’s own comes last, with its images, under the same policy', async (t) => {
  const css = `.content h1 { color: rgb(1, 2, 3); background: url(/images/line.svg) }`;
  const origin = await serveGuides(t, '{ color: "#7c3aed", css: brand.css }', css);
  const plain = await serveGuides(t, '{ color: "#7c3aed" }');
  const browser = await startBrowser(t);
  const page = await browser.newPage();
  const { requests, complaints } = watch(page);
  const response = await page.goto(origin, { waitUntil: 'load' });
  const color = await page.locator('h1').evaluate((shown) => getComputedStyle(shown).color);
  assert.equal(color, 'rgb(1, 2, 3)');
  await timeUntil(async () => requests.includes(`GET ${origin}/images/line.svg`));
  const styles = await page
    .locator('link[rel=stylesheet]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  assert.match(styles.at(-1) ?? '', /^\/_assets\/own-[0-9a-f]{16}\.css$/);
  assert.equal((await page.request.get(`${origin}/brand.css`)).status(), 404);
  const policy = 'content-security-policy';
  const usual = (await page.request.get(plain)).headers()[policy];
  assert.equal(response?.headers()[policy], usual);
  assert.deepEqual(complaints, []);
});

test('each scheme can have a colour of its own', async (t) => {
  const origin = await serveGuides(t, '{ colors: { light: "#7c3aed", dark: "#22c55e" } }');
  const browser = await startBrowser(t);
  for (const [colorScheme, color] of [
    ['light', 'rgb(124, 58, 237)'],
    ['dark', 'rgb(34, 197, 94)'],
  ] as const) {
    const page = await browser.newPage({ colorScheme });
    await page.goto(origin);
    const current = page.locator('.docs-nav [aria-current]');
    assert.equal(await current.evaluate((shown) => getComputedStyle(shown).color), color);
  }
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
