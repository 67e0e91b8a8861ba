import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type Page,
  seriousViolations,
  settled,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { onceForFile } from '@petstore/test-support/once-for-file.ts';
import { coverNothing } from '@petstore/test-support/program.ts';
import { zipOf } from '../../support/archives.ts';
import { buildInMemory, filesOf } from '../../support/build-site.ts';
import { FITS } from '../../support/look.ts';
import { serveSite } from '../../support/serve-site.ts';

coverNothing();

// What surrounds and marks the text of a page: links, the announcement, notes, long names, samples.

const TEXT = 'Version 2 is here: read what has changed before the end of the year';

const CONFIG = (announcement: string) => `title: Bookings
theme: { color: '#f59e0b' }
announcement: { text: '${announcement}', link: guides/start.md }
links:
  header:
    - { title: Status, url: https://status.example.com }
    - { title: Start here, url: guides/start.md#notes }
  footer: [{ title: Imprint, url: https://example.com/imprint }]
edit: { url: 'https://code.example.com/docs/{path}' }
navigation:
  - index.md
  - title: Guides
    pages: [guides/start.md]
`;

const KINDS = ['NOTE', 'TIP', 'IMPORTANT', 'WARNING', 'CAUTION'];

const START = `# Start

How a booking is made, in *five* minutes.[^1]

## Notes

${KINDS.map((kind) => `> [!${kind}]\n> What is to be known.\n`).join('\n')}
[^1]: Or six.
`;

const OPERATION = 'AddCustomFieldSettingRequest_for_all_bookings';

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Bookings', version: '1' },
  servers: [{ url: 'https://mock.apis.example.com/a-long-name-of-a-project/1.0.0' }],
  tags: [{ name: 'Bookings' }],
  paths: {
    '/bookings/of-all-customers/that-are-known': {
      get: {
        operationId: OPERATION,
        tags: ['Bookings'],
        responses: { 200: { description: 'All of them.' } },
      },
    },
  },
};

async function build(announcement: string) {
  const bytes = zipOf([
    { name: 'docs.yaml', content: CONFIG(announcement) },
    { name: 'index.md', content: '# Bookings\n\nWelcome.\n' },
    { name: 'guides/start.md', content: START },
    { name: 'openapi.json', content: JSON.stringify(DOCUMENT) },
  ]);
  const result = await buildInMemory({ kind: 'zip', bytes, name: 'docs.zip' });
  assert.ok('artifact' in result, JSON.stringify(result));
  return filesOf(result.artifact);
}

const site = onceForFile(() => build(TEXT));

const PHONE = { width: 390, height: 800 };
const TABLET = { width: 900, height: 800 };
const DESK = { width: 1280, height: 900 };

const START_PATH = '/guides/start';
const OPERATION_PATH = `/reference/bookings/${OPERATION}`;

interface Options {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly javaScriptEnabled?: boolean;
}

async function open(t: TestContext, path: string, options: Options) {
  const origin = await serveSite(t, await site());
  const browser = await startBrowser(t);
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const watched = watch(page);
  await page.goto(origin + path);
  return { origin, page, context, browser, ...watched };
}

for (const viewport of [PHONE, TABLET]) {
  for (const path of [START_PATH, OPERATION_PATH]) {
    test(`the header's links are in the menu at ${viewport.width} pixels: ${path}`, async (t) => {
      const { page } = await open(t, path, { viewport });
      const menu = page.getByRole('navigation', { name: 'Pages' });
      const status = page.getByRole('link', { name: 'Status' });
      assert.equal(await status.count(), 0, 'closed, it has nothing to reach');
      await page.getByRole('button', { name: 'Pages' }).click();
      await status.scrollIntoViewIfNeeded();
      assert.equal(await status.count(), 1);
      assert.equal(await menu.getByRole('link', { name: 'Status' }).count(), 1);
      assert.equal(await menu.getByRole('link', { name: 'Imprint' }).count(), 0);
      await page.keyboard.press('Escape');
      assert.equal(await page.getByRole('link', { name: 'Imprint' }).count(), 1);

      const plain = await open(t, path, { viewport, javaScriptEnabled: false });
      const link = plain.page.getByRole('link', { name: 'Start here' });
      assert.equal(await link.count(), 1);
      assert.ok(((await link.boundingBox())?.width ?? 0) > 0);
      await link.click();
      await plain.page.waitForURL(`${plain.origin}/guides/start#notes`);
    });
  }
}

test('on a wide screen the links are in the header alone', async (t) => {
  const { page } = await open(t, START_PATH, { viewport: DESK });
  const header = page.getByRole('navigation', { name: 'Site' });
  assert.equal(await header.getByRole('link', { name: 'Status' }).count(), 1);
  assert.equal(await page.getByRole('link', { name: 'Status' }).count(), 1);
});

const noteLooks = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('.note')].map((note) => {
    const title = note.querySelector('.note-title');
    const icon = title.querySelector('svg');
    const { color } = getComputedStyle(title);
    return { kind: title.textContent, color, icon: icon.innerHTML, stroke: getComputedStyle(icon).stroke,
      width: icon.getBoundingClientRect().width };
  })`) as Promise<{ kind: string; color: string; icon: string; stroke: string; width: number }[]>;

test('each kind of note has an icon and a colour of its own, whatever the theme', async (t) => {
  const { page, requests, origin, complaints } = await open(t, START_PATH, { viewport: DESK });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const looks = await noteLooks(page);
    assert.deepEqual(
      looks.map(({ kind }) => kind),
      ['Note', 'Tip', 'Important', 'Warning', 'Caution'],
    );
    assert.equal(new Set(looks.map(({ color }) => color)).size, KINDS.length, colorScheme);
    assert.equal(new Set(looks.map(({ icon }) => icon)).size, KINDS.length);
    for (const { color, stroke, width } of looks) {
      assert.equal(stroke, color);
      assert.equal(width, 18);
    }
    const accent = await page.evaluate(
      "getComputedStyle(document.querySelector('.docs-group')).color",
    );
    assert.match(String(accent), /^rgb/);
    assert.ok(looks.every(({ color }) => color !== accent));
  }
  assert.ok(requests.every((one) => one.startsWith(`GET ${origin}/`)));
  assert.ok(!requests.some((one) => /icon|note/.test(one)));
  assert.deepEqual(complaints, []);
});

/** The lines that a text is broken into, as it is drawn. */
const linesOf = (page: Page, selector: string) =>
  page.evaluate(`(() => {
    const element = document.querySelector('${selector}');
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const lines = new Map();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (let at = 0; at < node.length; at += 1) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const top = Math.round(range.getBoundingClientRect().top);
        lines.set(top, (lines.get(top) ?? '') + node.data[at]);
      }
    }
    return [...lines.values()];
  })()`) as Promise<string[]>;

test('a long name breaks at its words, and can be copied as it is', async (t) => {
  const { page } = await open(t, OPERATION_PATH, { viewport: { width: 360, height: 740 } });
  assert.equal(await page.locator('h1').textContent(), OPERATION);
  const lines = await linesOf(page, 'h1');
  assert.ok(lines.length > 1, 'it has several lines');
  for (const line of lines) assert.match(line, /^(?:[A-Z][a-z]+|_?[a-z]+|_)+$/);
  for (const line of lines.slice(1)) assert.match(line, /^[A-Z]|^[a-z]/);
  for (const [at, line] of lines.slice(0, -1).entries()) {
    const next = lines[at + 1] ?? '';
    assert.ok(line.endsWith('_') || /^[A-Z]/.test(next), `${line} / ${next}`);
  }
  assert.ok(await page.evaluate(FITS));
});

test('a command is one line that scrolls, so that no address is broken', async (t) => {
  const { page } = await open(t, OPERATION_PATH, { viewport: { width: 360, height: 740 } });
  const [first] = await linesOf(page, '.ref-sample code');
  assert.match(first ?? '', /1\.0\.0\/bookings\/of-all-customers\/that-are-known/);
  const sizes = await page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.querySelector('.ref-sample pre');
    return [scrollWidth, clientWidth];
  })()`);
  const [scrolled = 0, shown = 0] = sizes as number[];
  assert.ok(scrolled > shown, `${sizes}`);
  assert.ok(await page.evaluate(FITS));
});

const SHIFTS = `
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shifts += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

const MOST_SHIFT = 0.01;

for (const width of [360, 900, 1280]) {
  test(`the page's Markdown is offered beside its title, at ${width} pixels`, async (t) => {
    const { origin, browser } = await open(t, '/', { viewport: { width, height: 800 } });
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    const page = await context.newPage();
    await page.addInitScript(SHIFTS);
    for (const path of ['/', START_PATH, OPERATION_PATH, '/reference']) {
      await page.goto(origin + path);
      const view = page.getByRole('link', { name: 'View as Markdown' });
      const copy = page.getByRole('button', { name: 'Copy as Markdown' });
      await copy.waitFor();
      assert.equal(await view.count(), 1, 'once in a page');
      const [link, title] = [
        await view.boundingBox(),
        await page.getByRole('heading', { level: 1 }).boundingBox(),
      ];
      assert.ok(link && title);
      assert.ok(Math.abs(link.y - title.y) < 70, `${path}: ${link.y} and ${title.y}`);
      await settled(page);
      const shifts = Number(await page.evaluate('shifts'));
      assert.ok(shifts <= MOST_SHIFT, `${path} moved ${shifts}`);
      assert.ok(await page.evaluate(FITS), path);
      assert.deepEqual(await seriousViolations(page), [], path);
    }
    await page.goto(origin + START_PATH);
    await page.getByRole('button', { name: 'Copy as Markdown' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), START);
    assert.ok(await page.getByRole('link', { name: 'Edit this page' }).isVisible());

    const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await plain.goto(origin + START_PATH);
    const link = plain.getByRole('link', { name: 'View as Markdown' });
    assert.equal(await link.getAttribute('href'), '/guides/start.md');
    assert.equal(await plain.locator('button:visible:not(.docs-feedback button)').count(), 0);
  });
}

const bar = (page: Page) => page.getByRole('complementary', { name: 'Announcement' });

test('an announcement is closed once, and stays away before anything is drawn', async (t) => {
  const { origin, page, context } = await open(t, START_PATH, { viewport: PHONE });
  const link = bar(page).getByRole('link');
  assert.equal(await link.getAttribute('href'), '/guides/start');
  await page.getByRole('button', { name: 'Close the announcement' }).focus();
  await page.keyboard.press('Enter');
  await bar(page).waitFor({ state: 'hidden' });
  assert.equal(await page.evaluate('document.activeElement.className'), 'site-brand');

  const next = await context.newPage();
  await next.addInitScript(SHIFTS);
  let goOn = () => {};
  const isHeld = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await next.route(/\/site-[^/]*\.js$/, async (route) => {
    await isHeld;
    await route.continue();
  });
  await next.goto(`${origin}/`, { waitUntil: 'commit' });
  await next.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(await bar(next).count(), 0, 'before the script of the page has run');
  goOn();
  await next.waitForLoadState('load');
  await settled(next);
  assert.ok(Number(await next.evaluate('shifts')) <= MOST_SHIFT);
});

test('another announcement is shown to those who closed the one before', async (t) => {
  const { page, context } = await open(t, '/', { viewport: DESK });
  await page.getByRole('button', { name: 'Close the announcement' }).click();
  const closed = await page.evaluate('({ ...localStorage })');
  const other = await serveSite(t, await build('Version 3 is here'));
  const later = await context.newPage();
  await later.addInitScript(`Object.assign(localStorage, ${JSON.stringify(closed)})`);
  await later.goto(other);
  assert.ok(await bar(later).isVisible());
});

test('without scripts the announcement stays, and has no button', async (t) => {
  const { page } = await open(t, '/', { viewport: PHONE, javaScriptEnabled: false });
  assert.ok(await bar(page).getByText(TEXT).isVisible());
  assert.equal(await page.locator('button:visible:not(.docs-feedback button)').count(), 0);
});

test('a page that has no description is described by its first paragraph', async (t) => {
  const { page } = await open(t, START_PATH, { viewport: DESK });
  const description = page.locator('meta[name="description"]');
  assert.equal(
    await description.getAttribute('content'),
    'How a booking is made, in five minutes.',
  );
});
