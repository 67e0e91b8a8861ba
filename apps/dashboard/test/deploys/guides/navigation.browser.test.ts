import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type Page,
  seriousViolations,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { onceForFile } from '@petstore/test-support/once-for-file.ts';
import { coverNothing } from '@petstore/test-support/program.ts';
import { zipOf } from '../../support/archives.ts';
import { buildInMemory, filesOf, textOf } from '../../support/build-site.ts';
import { FITS } from '../../support/look.ts';
import { serveSite } from '../../support/serve-site.ts';

coverNothing();

// The list of pages as a team writes it: tabs, groups in groups, icons, links, and pages that are in no list.

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Bookings', version: '1' },
  tags: [{ name: 'Bookings' }],
  paths: {
    '/bookings': {
      get: {
        operationId: 'listBookings',
        summary: 'List bookings',
        tags: ['Bookings'],
        responses: { 200: { description: 'All of them.' } },
      },
    },
  },
};

const CONFIG = `title: Bookings
navigation:
  - tab: Guides
    icon: book-open
    pages:
      - page: index.md
        icon: house
      - title: Get started
        pages:
          - guides/start.md
          - title: Payments
            icon: credit-card
            page: guides/payments.md
            pages:
              - title: Cards
                pages:
                  - title: Europe
                    pages: [guides/sepa.md]
          - { title: Status, url: https://status.example.com, icon: activity }
      - { page: guides/beta.md, hidden: true }
  - tab: Recipes
    pages: [recipes/one.md, recipes/two.md]
  - { tab: API, icon: code, reference: true }
  - { tab: Blog, url: https://blog.example.com, icon: 📰 }
`;

const PAGES = {
  'index.md': '# Welcome\n\nHello.\n',
  'guides/start.md':
    '---\nsidebarTitle: Quickstart\nicon: rocket\n---\n\n# Start here now\n\nText.\n',
  'guides/payments.md': '# Payments in general\n\nText.\n',
  'guides/sepa.md': '# SEPA transfers\n\nText.\n',
  'guides/beta.md': '# A secret beta\n\nText.\n',
  'guides/old.md': '---\nhidden: true\nicon: rokcet\n---\n\n# An old page\n\nText.\n',
  'recipes/one.md': '# First recipe\n\nText.\n',
  'recipes/two.md': '---\nnoindex: true\n---\n\n# Second recipe\n\nText.\n',
};

async function build(files: Record<string, string>) {
  const log: string[] = [];
  const content = Object.entries(files).map(([name, text]) => ({ name, content: text }));
  const bytes = zipOf(content);
  const result = await buildInMemory({ kind: 'zip', bytes, name: 'docs.zip' }, ({ message }) =>
    log.push(message),
  );
  assert.ok('artifact' in result, JSON.stringify(result));
  return { artifact: result.artifact, log };
}

const bookings = onceForFile(() =>
  build({ 'docs.yaml': CONFIG, 'openapi.json': JSON.stringify(DOCUMENT), ...PAGES }),
);

const DESK = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

async function open(
  t: TestContext,
  built: Awaited<ReturnType<typeof build>>,
  path: string,
  { viewport = DESK, javaScriptEnabled = true } = {},
) {
  const origin = await serveSite(t, filesOf(built.artifact));
  const browser = await startBrowser(t);
  const context = await browser.newContext({ viewport, javaScriptEnabled });
  const page = await context.newPage();
  const watched = watch(page);
  await page.goto(origin + path);
  return { origin, page, ...watched };
}

const list = (page: Page) => page.getByRole('navigation', { name: 'Pages' });
const entry = (page: Page, name: string) => list(page).getByRole('link', { name, exact: true });
const tabs = (page: Page) => page.getByRole('navigation', { name: 'Parts' });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

test('tabs show their own pages, and lead to each other without a reload', async (t) => {
  const { page, complaints } = await open(t, await bookings(), '/guides/start');
  assert.deepEqual(await tabs(page).getByRole('link').allTextContents(), [
    ...['Guides', 'Recipes', 'API', '📰Blog'],
  ]);
  const current = tabs(page).locator('[aria-current]');
  assert.deepEqual(await current.allTextContents(), ['Guides']);
  assert.equal(await entry(page, 'Quickstart').getAttribute('aria-current'), 'page');
  assert.equal(await entry(page, 'First recipe').count(), 0);
  assert.equal(await page.getByRole('navigation', { name: 'Site' }).getByRole('link').count(), 0);

  await page.evaluate('document.kept = true');
  await tabs(page).getByRole('link', { name: 'Recipes' }).click();
  await heading(page, 'First recipe').waitFor();
  assert.deepEqual(await current.allTextContents(), ['Recipes']);
  assert.equal(await entry(page, 'Quickstart').count(), 0);
  assert.equal(await page.getByRole('link', { name: /Previous/ }).count(), 0, 'of another tab');
  await page.getByRole('link', { name: /Next/ }).click();
  await heading(page, 'Second recipe').waitFor();
  assert.equal(await page.getByRole('link', { name: /^Next/ }).count(), 0);

  await tabs(page).getByRole('link', { name: 'API' }).click();
  await entry(page, 'Bookings').waitFor();
  assert.deepEqual(await current.allTextContents(), ['API']);
  assert.equal(await page.evaluate('document.kept'), true);
  assert.deepEqual(complaints, []);
});

test('groups open by their headings, and around the page that is shown', async (t) => {
  const { page } = await open(t, await bookings(), '/guides/start');
  const sepa = entry(page, 'SEPA transfers');
  assert.equal(await sepa.isVisible(), false);
  // Its heading leads to a page, so that a switch beside it opens it.
  await list(page).getByLabel('Pages of Payments').focus();
  await page.keyboard.press('Enter');
  await list(page).getByText('Cards', { exact: true }).click();
  await list(page).getByText('Europe', { exact: true }).click();
  await sepa.click();
  await heading(page, 'SEPA transfers').waitFor();
  assert.equal(await sepa.getAttribute('aria-current'), 'page');
  await list(page).getByText('Get started', { exact: true }).click();
  assert.equal(await sepa.isVisible(), false, 'closed by the reader');
  await page.getByRole('link', { name: /Previous/ }).click();
  await heading(page, 'Payments in general').waitFor();
  assert.equal(await entry(page, 'Payments').isVisible(), true, 'opened around the page');
  assert.equal(await entry(page, 'Payments').getAttribute('aria-current'), 'page');
});

test('without scripts groups open and close, and those of the page are open', async (t) => {
  const plain = { javaScriptEnabled: false };
  const { page } = await open(t, await bookings(), '/guides/sepa', plain);
  assert.equal(await entry(page, 'SEPA transfers').isVisible(), true);
  await list(page).getByText('Cards', { exact: true }).click();
  assert.equal(await entry(page, 'SEPA transfers').isVisible(), false);
  await tabs(page).getByRole('link', { name: 'Recipes' }).click();
  await heading(page, 'First recipe').waitFor();
});

test('icons are drawn from the site itself, in the colour of their text', async (t) => {
  const { page } = await open(t, await bookings(), '/guides/start');
  const mask = (name: string) =>
    page
      .locator(`.docs-nav [data-icon=${name}]`)
      .first()
      .evaluate((icon) => {
        const { maskImage, backgroundColor, color, width } = getComputedStyle(icon);
        return { isDrawn: maskImage.startsWith('url("data:'), backgroundColor, color, width };
      });
  for (const name of ['house', 'rocket', 'credit-card', 'activity']) {
    const { isDrawn, backgroundColor, color, width } = await mask(name);
    assert.ok(isDrawn, name);
    assert.equal(backgroundColor, color);
    assert.equal(width, '16px');
  }
});

test('on a phone the tabs are in the menu, and nothing is wider than the screen', async (t) => {
  const { page } = await open(t, await bookings(), '/guides/sepa', { viewport: PHONE });
  assert.equal(await tabs(page).count(), 0);
  await page.getByRole('button', { name: 'Pages' }).click();
  const recipes = list(page).getByRole('link', { name: 'Recipes' });
  await recipes.waitFor();
  assert.equal(
    await page.evaluate('document.activeElement.textContent'),
    'SEPA transfers',
    'the menu begins at the page that is shown',
  );
  assert.ok(await page.evaluate(FITS));
  assert.deepEqual(await seriousViolations(page), []);
  await recipes.click();
  await heading(page, 'First recipe').waitFor();
});

test('tabs and groups are sound for those who cannot see them, in the light and in the dark', async (t) => {
  const { page, origin } = await open(t, await bookings(), '/');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${origin}/guides/sepa`);
    const serious = await seriousViolations(page, { colorsOnly: colorScheme === 'dark' });
    assert.deepEqual(serious, [], colorScheme);
  }
});

test('a hidden page is published, and no list has it; a page can keep search engines away', async () => {
  const { artifact, log } = await bookings();
  const lists = Object.keys(artifact.manifest.files).filter(
    (path) => /^\/(?:llms|sitemap|_site\/)/.test(path) && !path.startsWith('/_site/anchors'),
  );
  for (const { path, title } of [
    { path: '/guides/beta', title: 'A secret beta' },
    { path: '/guides/old', title: 'An old page' },
  ]) {
    const page = textOf(artifact, path);
    assert.ok(page.includes(title));
    assert.match(page, /<meta name="robots" content="noindex">/);
    for (const list of lists) {
      const text = textOf(artifact, list);
      assert.ok(!text.includes(title) && !text.includes(path), `${list} has ${path}`);
    }
    assert.ok(!textOf(artifact, '/').includes(path));
  }
  const second = textOf(artifact, '/recipes/two');
  assert.match(second, /<meta name="robots" content="noindex">/);
  assert.ok(!textOf(artifact, '/sitemap.xml').includes('/recipes/two'));
  assert.ok(textOf(artifact, '/llms.txt').includes('/recipes/two'), 'readers find it');
  assert.doesNotMatch(textOf(artifact, '/recipes/one'), /noindex/);
  assert.ok(log.includes('There is no icon `rokcet`: did you mean `rocket`?'));
  assert.ok(!log.some((line) => line.includes("doesn't list it")), log.join('\n'));
});

const GROUPS = 20;
const PAGES_OF_GROUP = 100;

/** 2,000 pages in 20 groups. */
const manyPages = onceForFile(() => {
  const files: Record<string, string> = {};
  const groups = Array.from({ length: GROUPS }, (_, group) => {
    const pages = Array.from({ length: PAGES_OF_GROUP }, (_, at) => {
      files[`g${group}/p${at}.md`] = `# Page ${group}.${at}\n`;
      return `g${group}/p${at}.md`;
    });
    return `  - title: Group ${group}\n    pages: [${pages.join(', ')}]\n`;
  });
  return build({ ...files, 'docs.yaml': `title: Many\nnavigation:\n${groups.join('')}` });
});

test('of 2,000 pages each page lists those around it, and fetches the others when they are wanted', async (t) => {
  const built = await manyPages();
  const links = textOf(built.artifact, '/g3/p50').match(/<a /g) ?? [];
  assert.ok(links.length < 150, `${links.length} links`);
  const { page, requests } = await open(t, built, '/g3/p50');
  assert.equal(await entry(page, 'Page 3.50').isVisible(), true);
  assert.equal(await entry(page, 'Page 7.1').count(), 0);
  const asked = requests.length;
  await list(page).getByText('Group 7', { exact: true }).click();
  await entry(page, 'Page 7.1').click();
  await heading(page, 'Page 7.1').waitFor();
  assert.ok(requests.slice(asked).some((request) => request.endsWith('/g7/p0')));
  assert.equal(await entry(page, 'Page 7.1').getAttribute('aria-current'), 'page');
  assert.equal(await list(page).locator('[aria-current]').count(), 1);
  assert.equal(await entry(page, 'Page 3.50').isVisible(), true, 'what was there stays there');

  await list(page).getByRole('link', { name: 'All 2,000 pages' }).click();
  await heading(page, 'All pages').waitFor();
  const main = page.getByRole('main');
  assert.equal(await main.getByRole('link').count(), GROUPS * PAGES_OF_GROUP);
});

test('without scripts a group of many pages leads to its first page, which has the others', async (t) => {
  const { page } = await open(t, await manyPages(), '/g3/p50', { javaScriptEnabled: false });
  await list(page).getByText('Group 7', { exact: true }).click();
  await entry(page, 'Page 7.0').click();
  await heading(page, 'Page 7.0').waitFor();
  assert.equal(await entry(page, 'Page 7.1').isVisible(), true);
});
