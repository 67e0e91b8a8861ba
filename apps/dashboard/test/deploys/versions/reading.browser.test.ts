import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  type Page,
  screenshot,
  seriousViolations,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { FILE } from '@petstore/test-support/clean-up.ts';
import { onceForFile } from '@petstore/test-support/once-for-file.ts';
import { folderFiles } from '../../support/folder-files.ts';
import { deployFiles } from '../../support/guides.ts';
import { FITS, VIEWS } from '../../support/look.ts';
import { createProject } from '../../support/project.ts';
import { startService } from '../../support/service.ts';

// Versions of a site as its readers have them: in a real browser, served by the edge.

const PARCELS = fileURLToPath(new URL('../guides/fixtures/parcels', import.meta.url));
const SCREENSHOTS = fileURLToPath(new URL('../../screenshots', import.meta.url));

/** A site whose default version is `v2`; `v1` lacks a page, and `v3-beta` comes later. */
const versionedSite = onceForFile(async () => {
  const service = await startService(FILE);
  const root = await service.signUp('root@example.com');
  const { url } = await createProject(root, 'pets');
  const files = Object.fromEntries(await folderFiles(PARCELS));
  const lacking = {
    ...Object.fromEntries(Object.entries(files).filter(([name]) => name !== 'recipes/bulk.md')),
    'docs.yaml': String(files['docs.yaml']).replaceAll(/^.*recipes\/bulk\.md.*\n/gm, ''),
  };
  const relinked = Object.fromEntries(
    Object.entries(lacking).map(([name, text]) => [
      name,
      name.endsWith('.md')
        ? String(text).replaceAll(/\[([^\]]*)\]\([^)]*bulk[^)]*\)/g, '$1')
        : text,
    ]),
  );
  for (const [version, site] of [
    ['v1', relinked],
    ['v2', files],
    ['v3-beta', files],
  ] as const) {
    const { errors } = await deployFiles(root, 'pets', site, `?version=${version}`);
    assert.deepEqual(errors, [], version);
  }
  await root.call('PATCH', '/api/projects/pets/versions/v2', { default: true });
  return url;
});

const versions = (page: Page) => page.locator('.site-versions');

const note = (page: Page) => page.getByRole('complementary', { name: 'Version' });

async function choose(page: Page, name: string): Promise<void> {
  await versions(page).locator('summary').click();
  await versions(page).getByRole('link', { name }).click();
}

test('a reader changes the version and stays on the page, and links stay in the version', async (t) => {
  const url = await versionedSite();
  const browser = await startBrowser(t);
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  const { requests, complaints } = watch(page);
  await page.goto(url);
  assert.equal(page.url(), `${url}/v2`);
  assert.equal(await note(page).count(), 0);

  await page.locator('.docs-nav').getByRole('link', { name: 'Errors' }).click();
  await page.waitForURL(`${url}/v2/guides/errors`);
  await choose(page, 'v1');
  await page.waitForURL(`${url}/v1/guides/errors`);
  assert.match((await note(page).innerText()) ?? '', /^You are reading an old version, v1\./);

  // Without a reload, the header and the note follow the page.
  await page.evaluate('window.isSame = true');
  await page.locator('.docs-nav').getByRole('link', { name: 'Webhooks' }).click();
  await page.waitForURL(`${url}/v1/guides/webhooks`);
  assert.equal(await page.evaluate('window.isSame'), true);
  const way = note(page).getByRole('link');
  assert.equal(await way.getAttribute('href'), '/v2/guides/webhooks');
  await way.click();
  await page.waitForURL(`${url}/v2/guides/webhooks`);
  assert.equal(await note(page).count(), 0);

  await page.goto(`${url}/v2/recipes/bulk`);
  await choose(page, 'v1');
  await page.waitForURL(`${url}/v1`);
  await page.goBack();
  // The address comes before the page does.
  await page.waitForURL(`${url}/v2/recipes/bulk`);
  await page.locator('.site-versions summary', { hasText: 'v2' }).waitFor();
  await choose(page, 'v3-beta');
  await page.waitForURL(`${url}/v3-beta/recipes/bulk`);
  assert.match((await note(page).innerText()) ?? '', /v3-beta, which is not released yet\./);

  // What scripts fetch and link to is of the version, too.
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search the documentation' }).fill('rotat');
  await page.getByRole('listbox').getByRole('option', { selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/v3-beta/guides/authentication#rotate-a-key`);
  await page.goto(`${url}/v3-beta/reference`);
  const toggle = page.getByRole('button', { name: /^Operations of/ }).first();
  await toggle.click();
  const operation = page.locator('.nav-tags ul a').first();
  assert.match((await operation.getAttribute('href')) ?? '', /^\/v3-beta\/reference\//);
  await operation.click();
  await page.getByRole('button', { name: 'Try it' }).first().click();
  await page.getByRole('dialog').waitFor();
  const foreign = requests.filter(
    (one) => one.startsWith(`GET ${url}/`) && !/\/v[123](?:-beta)?(?:\/|$)/.test(one),
  );
  assert.deepEqual(foreign, [`GET ${url}/`]);
  assert.deepEqual(complaints, []);
});

test('the list of versions needs no script, closes by Escape, and fits every screen', async (t) => {
  const url = await versionedSite();
  const browser = await startBrowser(t);
  const plain = await browser.newPage({ javaScriptEnabled: false });
  await plain.goto(`${url}/v1/guides/errors`);
  await choose(plain, 'v2');
  await plain.waitForURL(`${url}/v2/guides/errors`);

  const page = await browser.newPage();
  for (const [index, { name, colorScheme, width }] of VIEWS.entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: width === 360 ? 740 : 860 });
    await page.goto(`${url}/v1/guides/errors`);
    await note(page).waitFor();
    await versions(page).locator('summary').click();
    assert.ok(await page.evaluate(FITS), name);
    const list = await versions(page).locator('ul').boundingBox();
    assert.ok(
      list && list.x >= 0 && list.x + list.width <= width,
      `${name} ${JSON.stringify(list)}`,
    );
    // Themes differ in nothing else.
    const colorsOnly = VIEWS.slice(0, index).some((view) => view.width === width);
    assert.deepEqual(await seriousViolations(page, { colorsOnly }), [], name);
    await screenshot(page, join(SCREENSHOTS, `versions-${name}.png`));
    await page.keyboard.press('Escape');
    assert.equal(await versions(page).locator('ul').isVisible(), false);
    await versions(page).locator('summary').click();
    await page.mouse.click(width / 2, 700);
    assert.equal(await versions(page).locator('ul').isVisible(), false, 'a click beside it');
    await page.goto(`${url}/v3-beta/recipes/bulk`);
    await screenshot(page, join(SCREENSHOTS, `versions-preview-${name}.png`));
  }
});
