import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  type Page,
  screenshot,
  seriousViolations,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { onceForFile } from '@petstore/test-support/once-for-file.ts';
import { coverNothing } from '@petstore/test-support/program.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { zipOf } from '../../support/archives.ts';
import { type BuiltArtifact, buildInMemory, filesOf } from '../../support/build-site.ts';
import { FITS } from '../../support/look.ts';
import { serveSite } from '../../support/serve-site.ts';

coverNothing();

// Diagrams as readers have them: drawn by their browsers, under the policy of the pages.

/** Pictures of pages, for people to look at; ignored by git. */
const SCREENSHOTS = fileURLToPath(new URL('../../screenshots', import.meta.url));

const EXAMPLES = new URL(
  '../../../../../packages/site/test/guides/fixtures/diagrams.md',
  import.meta.url,
);

async function builtSite(files: Readonly<Record<string, string>>): Promise<BuiltArtifact> {
  const bytes = zipOf([
    { name: 'docs.yaml', content: 'title: Parcels\n' },
    ...Object.entries(files).map(([name, content]) => ({ name, content })),
  ]);
  const result = await buildInMemory({ kind: 'zip', bytes, name: 'docs.zip' });
  assert.ok('artifact' in result, JSON.stringify(result));
  return result.artifact;
}

async function servedSite(t: TestContext, files: Readonly<Record<string, string>>) {
  return serveSite(t, filesOf(await builtSite(files)));
}

const fenced = (code: string) => `\`\`\`mermaid\n${code}\n\`\`\`\n`;

/** Goes through a page until all its diagrams are drawn. */
async function drawAll(page: Page): Promise<number> {
  const boxes = page.locator('.diagram');
  const count = await boxes.count();
  for (let at = 0; at < count; at += 1) {
    await boxes.nth(at).scrollIntoViewIfNeeded();
    await page.locator(`.diagram.diagram-drawn`).nth(at).waitFor();
  }
  return count;
}

const SMALL = `${fenced('flowchart TD\n  A[Start] --> B[End]')}`;

/** The site with diagrams of all kinds. */
const examples = onceForFile(async () =>
  builtSite({ 'index.md': await readFile(EXAMPLES, 'utf8') }),
);

const small = onceForFile(() => builtSite({ 'index.md': `# Start\n\n${SMALL}` }));

const served = async (t: TestContext, site: typeof small) => serveSite(t, filesOf(await site()));

for (const width of [390, 1280])
  for (const colorScheme of ['light', 'dark'] as const)
    test(`diagrams of all kinds are drawn at ${width} pixels: ${colorScheme}`, async (t) => {
      const origin = await served(t, examples);
      const browser = await startBrowser(t);
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const page = await context.newPage();
      const { requests, complaints } = watch(page);
      await page.goto(origin);
      const count = await drawAll(page);
      assert.ok(count > 20);
      const sizes = await page
        .locator('.diagram-view svg[role]')
        .evaluateAll((drawings) =>
          drawings.map((drawing) => drawing.getBoundingClientRect().height),
        );
      assert.equal(sizes.length, count);
      for (const height of sizes) assert.ok(height > 30, String(height));
      assert.equal(await page.evaluate(FITS), true, `${width}`);
      assert.deepEqual(complaints, []);
      assert.deepEqual(
        requests.filter((request) => !request.startsWith(`GET ${origin}/`)),
        [],
      );
      if (width === 1280) assert.deepEqual(await seriousViolations(page), []);
      await screenshot(page, join(SCREENSHOTS, `diagrams-${width}-${colorScheme}.png`), {
        fullPage: true,
      });
    });

test('a drawing is text with a name, links where its author made some, and keeps its code', async (t) => {
  const origin = await served(t, examples);
  const page = await (await startBrowser(t)).newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(origin);
  const box = page.locator('.diagram').first();
  await box.locator('svg[role]').waitFor();
  const drawing = page.getByRole('group', {
    name: 'How a parcel is booked',
  });
  assert.equal(await drawing.count(), 1);
  assert.equal(await box.locator('.diagram-view').getByText('Готово').count(), 1);
  const link = box.getByRole('link', { name: 'Parcels' });
  assert.equal(await link.getAttribute('href'), 'https://example.com/parcels');
  const fills = await box
    .locator('.node.hot .label-container, .node.hot rect')
    .evaluateAll((shapes) => shapes.map((shape) => getComputedStyle(shape).fill));
  assert.ok(fills.includes('rgb(253, 230, 138)'), fills.join(' '));
  assert.equal(await box.locator('[data-style]').count(), 0, 'they are styles again');
  assert.ok((await box.locator('.diagram-view foreignObject [style]').count()) > 0);
  assert.equal(await box.locator('pre').isVisible(), false);
  await box.getByRole('button', { name: 'Show the code of the diagram' }).click();
  assert.match(await box.locator('pre').innerText(), /^flowchart TD/);
  await box.getByRole('button', { name: 'Show the code of the diagram' }).click();
  await box.getByRole('button', { name: 'Enlarge the diagram' }).click();
  const dialog = page.getByRole('dialog', { name: 'How a parcel is booked' });
  assert.ok(((await dialog.locator('svg[role]').boundingBox())?.width ?? 0) > 300);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

/** Higher than the build can guess, since it does not measure labels. */
const HIGH = fenced(`flowchart TD\n  A["${'line<br/>'.repeat(25)}"] --> B[End]`);

test('nothing moves when a diagram comes, and those below are as high as they are drawn', async (t) => {
  const origin = await servedSite(t, {
    'index.md': `# Start\n\n${HIGH}\n\nBehind it.\n\n${'Text.\n\n'.repeat(60)}${SMALL}`,
  });
  const page = await (await startBrowser(t)).newPage({ viewport: { width: 1280, height: 900 } });
  await page.addInitScript(() => {
    Object.assign(window, { moved: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        Object.assign(window, {
          moved:
            (window as never as { moved: number }).moved +
            (entry as never as { value: number }).value,
        });
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(origin);
  await page.locator('.diagram-drawn').waitFor();
  assert.equal(await page.locator('.diagram-drawn').count(), 1, 'the other one is far below');
  await page.mouse.move(640, 450);
  for (let at = 0; at < 40; at += 1) await page.mouse.wheel(0, 60);
  await page.locator('.diagram-drawn').nth(1).waitFor();
  assert.equal(await page.locator('.diagram-whole').count(), 1);
  assert.equal(await page.evaluate(() => (window as never as { moved: number }).moved), 0);
});

test('a reader who changes the colours has the diagrams in them', async (t) => {
  const origin = await served(t, small);
  const browser = await startBrowser(t);
  const context = await browser.newContext({ colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto(origin);
  const label = page.locator('.diagram-view').getByText('Start');
  const color = () => label.evaluate((element) => getComputedStyle(element).color);
  await label.waitFor();
  const light = await color();
  await page.emulateMedia({ colorScheme: 'dark' });
  await timeUntil(async () => (await color()) !== light);
});

test('a page that is swapped in has its diagrams, and pages without one load nothing for them', async (t) => {
  const origin = await servedSite(t, {
    'index.md': '# Start\n\n[Drawn](drawn.md)\n',
    'drawn.md': `# Drawn\n\n${SMALL}`,
  });
  const page = await (await startBrowser(t)).newPage();
  const { requests } = watch(page);
  await page.goto(origin);
  await page.waitForLoadState('networkidle');
  const isOfDiagrams = (request: string) => /diagram|mermaid|frame/.test(request);
  assert.deepEqual(requests.filter(isOfDiagrams), []);
  await page.getByRole('article').getByRole('link', { name: 'Drawn' }).click();
  await page.locator('.diagram-drawn').waitFor();
  assert.ok(requests.some(isOfDiagrams));
});

/** What an author of a diagram might try, or copy from somewhere. */
const HOSTILE = [
  'flowchart TD\n  A["<img src=\'https://evil.example/a.png\' onerror=\'alert(1)\'>"] --> B["<script>alert(2)</script>x"]',
  'flowchart TD\n  A --> B\n  click A "javascript:alert(3)"\n  click B call alert(4)',
  '%%{init: {"securityLevel": "loose", "dompurifyConfig": {"ADD_TAGS": ["img"]}, "themeCSS": "@import url(https://evil.example/b.css); .node rect { fill: url(https://evil.example/c.svg#x) } .node { background: u\\\\72l(https://evil.example/d.png) }"}}%%\nflowchart TD\n  A --> B["<iframe src=\'https://evil.example\'></iframe>y"]',
  'flowchart TD\n  A@{ img: "https://evil.example/e.png", label: "z" } --> B\n  style B fill:url(https://evil.example/f.svg#a)',
  'sequenceDiagram\n  participant A\n  link A: Go @ javascript:alert(5)\n  links A: {"Evil": "javascript:alert(6)"}\n  A->>A: x',
];

test('what a diagram names runs nothing and loads nothing', async (t) => {
  const origin = await servedSite(t, {
    'index.md': `# Start\n\n${HOSTILE.map(fenced).join('\n')}`,
  });
  const page = await (await startBrowser(t)).newPage({ viewport: { width: 1280, height: 900 } });
  const foreign: string[] = [];
  page.on('requestfailed', (request) => {
    // What a style of the frame names is stopped by the policy of the frame, and never sent.
    if (!request.url().startsWith(origin)) foreign.push(String(request.failure()?.errorText));
  });
  page.on('requestfinished', (request) => {
    if (!request.url().startsWith(origin)) foreign.push(request.url());
  });
  page.on('dialog', () => assert.fail('a script ran'));
  await page.goto(origin);
  const boxes = page.locator('.diagram');
  assert.ok((await boxes.count()) >= 4);
  for (let at = 0; at < (await boxes.count()); at += 1) {
    await boxes.nth(at).scrollIntoViewIfNeeded();
    const drawn = boxes.nth(at).and(page.locator('.diagram-drawn'));
    await drawn.or(boxes.nth(at).getByText('This diagram could not be drawn')).first().waitFor();
  }
  // What a drawing loads, it asks for when it is laid out.
  await page.waitForTimeout(500);
  assert.ok((await page.locator('.diagram-drawn').count()) > 2);
  for (const outcome of foreign) assert.equal(outcome, 'csp');
  const found = await page.locator('.diagram-view').evaluateAll((views) =>
    views.map((view) => {
      const { shadowRoot } = view;
      const rules = shadowRoot?.adoptedStyleSheets.flatMap(({ cssRules }) =>
        [...cssRules].map(({ cssText }) => cssText),
      );
      return `${shadowRoot?.innerHTML} ${rules?.join(' ')}`;
    }),
  );
  assert.doesNotMatch(
    found.join(' '),
    /evil\.example(?!'|&|<)|javascript:|<script|<img|<iframe|\son\w+=/,
  );
});

test('without JavaScript the code is there, and on paper the drawing', async (t) => {
  const origin = await served(t, small);
  const browser = await startBrowser(t);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const bare = await context.newPage();
  await bare.goto(origin);
  assert.match(await bare.locator('.diagram pre').innerText(), /flowchart TD/);
  assert.ok(((await bare.locator('.diagram').boundingBox())?.height ?? 1_000) < 150);
  const page = await browser.newPage();
  await page.goto(origin);
  await page.locator('.diagram-drawn').waitFor();
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('.diagram pre').isVisible(), false);
  assert.equal(await page.locator('.diagram svg[role]').isVisible(), true);
});

test('a site without diagrams has none of their files, and no frames', async () => {
  const plain = await builtSite({ 'index.md': '# Start\n' });
  const drawn = await small();
  const pathsOf = ({ manifest }: BuiltArtifact) => Object.keys(manifest.files);
  assert.deepEqual(
    pathsOf(plain).filter((path) => /mermaid|frame|diagrams\.html/.test(path)),
    [],
  );
  assert.ok(pathsOf(drawn).filter((path) => path.includes('/mermaid-')).length > 100);
  assert.doesNotMatch(plain.manifest.contentSecurityPolicy, /frame-src/);
  assert.match(drawn.manifest.contentSecurityPolicy, /frame-src 'self'/);
});
