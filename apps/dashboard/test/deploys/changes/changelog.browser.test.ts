import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  screenshot,
  seriousViolations,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { FILE } from '@petstore/test-support/clean-up.ts';
import { onceForFile } from '@petstore/test-support/once-for-file.ts';
import { deployFiles } from '../../support/guides.ts';
import { FITS } from '../../support/look.ts';
import { createProject } from '../../support/project.ts';
import { startService } from '../../support/service.ts';

// The changelog as its readers have it, and its feeds as a parser of XML does.

const SCREENSHOTS = fileURLToPath(new URL('../../screenshots', import.meta.url));

const document = (version: string, operations: number) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pets & <others>', version },
    paths: Object.fromEntries(
      Array.from({ length: operations }, (_, at) => [
        `/a-long-path-of-an-api/{petId}/part-${at}`,
        {
          get: {
            tags: ['all'],
            parameters: Array.from({ length: operations }, (_, of) => ({
              ...{ name: `filter${of}`, in: 'query', schema: { type: 'string' } },
            })),
            responses: { 200: { description: 'Done.' } },
          },
        },
      ]),
    ),
  });

/** The address of a site that no test changes. */
const deployed = onceForFile(async () => {
  const clock = { now: Date.parse('2026-03-01T10:00:00Z') };
  const service = await startService(FILE, {}, { now: () => clock.now });
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  const files = (version: string, operations: number) => ({
    'docs.yaml': 'title: "Pets & <others>"\nopenapi: openapi.json\n',
    'index.md': '# Pets\n',
    'changelog/2026-02-20-search.md':
      '---\ntitle: "Search <b> & more"\n---\n\nFaster, says [the start](../index.md).\n\n## Tabs\n\n<Tabs><Tab title="One">First</Tab><Tab title="Two">Second</Tab></Tabs>\n',
    'changelog/2026-02-20-tabs.md':
      '# More tabs\n\n<Tabs><Tab title="One">Third</Tab><Tab title="Two">Fourth</Tab></Tabs>\n',
    'openapi.json': document(version, operations),
  });
  await deployFiles(root, 'pets', files('1.0.0', 1));
  clock.now += 86_400_000;
  await deployFiles(root, 'pets', files('1.1.0', 14));
  return url;
});

test('the changelog is read with keys, on a phone, in the dark, and by those who hear it', async (t) => {
  const url = await deployed();
  const browser = await startBrowser(t);
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      const { complaints } = watch(page);
      await page.goto(`${url}/changelog`);
      await screenshot(page, `${SCREENSHOTS}/changelog-${colorScheme}-${width}.png`);
      assert.equal(await page.evaluate(FITS), true);
      const more = page.locator('.log-more > summary');
      await more.focus();
      await page.keyboard.press('Enter');
      await page.getByText('part-13', { exact: false }).last().waitFor();
      const serious = await seriousViolations(page, { colorsOnly: colorScheme === 'dark' });
      assert.deepEqual(serious, []);
      assert.deepEqual(complaints, []);
      await page.close();
    }
});

test('tabs, links and the list of pages lead where they should', async (t) => {
  const url = await deployed();
  const browser = await startBrowser(t);
  // Without a script, which would choose the same in both, each choice of tabs is its own.
  const plain = await browser.newPage({ javaScriptEnabled: false });
  await plain.goto(`${url}/changelog`);
  await plain.getByRole('radio', { name: 'Two' }).first().check();
  assert.equal(await plain.getByText('Second').isVisible(), true);
  assert.equal(await plain.getByText('Third').isVisible(), true);
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(`${url}/changelog`);
  // From a page of an operation to its entry.
  await page
    .getByRole('link', { name: /part-3/ })
    .first()
    .click();
  await page.locator('.ref-history a').first().click();
  await page.waitForURL(/\/changelog#2026-03-02-[0-9a-f]{8}$/);
  await page.locator('.log-api:target').waitFor();
  // A phone has it in the list of pages.
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(url);
  await page.getByRole('button', { name: 'Pages' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).getByText('Changelog').click();
  await page.waitForURL(`${url}/changelog`);
});

test('the Atom feed is well-formed, and has all that RFC 4287 wants', async (t) => {
  const url = await deployed();
  const page = await (await startBrowser(t)).newPage();
  await page.goto(`${url}/changelog`);
  const href = await page.getAttribute('link[type="application/atom+xml"]', 'href');
  const feed = await page.evaluate(async (address) => {
    const response = await fetch(address as string);
    const parsed = new DOMParser().parseFromString(await response.text(), 'application/xml');
    const own = (element: Element, name: string) =>
      [...element.children].filter((child) => child.localName === name);
    const root = parsed.documentElement;
    const said = (element: Element) => ({
      children: [...element.children].map(({ localName }) => localName),
      ids: own(element, 'id').map((one) => one.textContent),
      titles: own(element, 'title').map((one) => one.textContent),
      updated: own(element, 'updated').map((one) => one.textContent),
      links: own(element, 'link').map((one) => [one.getAttribute('rel'), one.getAttribute('href')]),
      authors: own(element, 'author').map((one) => one.textContent),
      content: own(element, 'content').map((one) => [one.getAttribute('type'), one.textContent]),
    });
    return {
      type: response.headers.get('content-type'),
      errors: parsed.querySelectorAll('parsererror').length,
      names: [root.namespaceURI, root.localName],
      feed: said(root),
      entries: own(root, 'entry').map(said),
    };
  }, href);
  assert.equal(feed.type, 'application/atom+xml; charset=utf-8');
  assert.equal(feed.errors, 0);
  assert.deepEqual(feed.names, ['http://www.w3.org/2005/Atom', 'feed']);
  // Section 4.1.1: one id, title and updated, an author for all entries, a link to itself.
  assert.deepEqual(feed.feed.titles, ['Pets & <others>: Changelog']);
  assert.deepEqual(feed.feed.authors, ['Pets & <others>']);
  assert.deepEqual(feed.feed.links, [
    ['self', `${url}/changelog/atom.xml`],
    ['alternate', `${url}/changelog`],
  ]);
  assert.deepEqual(
    feed.entries.map(({ titles }) => titles),
    [['Version 1.1.0: 26 compatible'], ['Search <b> & more'], ['More tabs']],
  );
  const all = [feed.feed, ...feed.entries];
  const ids = all.flatMap((one) => one.ids);
  assert.equal(new Set(ids).size, all.length, 'each has an id of its own');
  const UUID = /^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/;
  for (const {
    ids: [id, another],
    updated,
    links,
    content,
    titles,
  } of all) {
    assert.match(id ?? '', UUID);
    assert.equal(another, undefined);
    assert.equal(titles.length, 1);
    assert.match(updated.join(), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    for (const [, address] of links) assert.equal(new URL(address ?? '').origin, url);
    for (const [type, text] of content) {
      assert.equal(type, 'html');
      for (const [, address = ''] of (text ?? '').matchAll(/\s(?:href|src)="([^"]*)"/g))
        assert.ok(URL.canParse(address), address);
    }
  }
  assert.deepEqual(feed.feed.updated, feed.entries[0]?.updated, 'the latest');
  for (const { links } of feed.entries) {
    const { hash, pathname } = new URL(links[0]?.[1] ?? '');
    assert.equal(pathname, '/changelog');
    assert.equal(await page.locator(`[id="${hash.slice(1)}"]`).count(), 1);
  }
});
