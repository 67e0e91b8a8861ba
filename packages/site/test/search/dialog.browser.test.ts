import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onceForFile } from '@petstore/test-support/once-for-file.ts';
import { rolldown } from 'rolldown';
import { ENTRY_PATH } from '../../src/search/format.ts';
import { searchFiles } from '../../src/search/search-files.ts';
import { ASSISTANTS } from './documents.ts';
import { guides, referenceOf } from './search-index.ts';

// The dialog by itself, in a real browser under the policy of pages.

const BROWSER = fileURLToPath(new URL('../../browser', import.meta.url));
const SCREENSHOTS = fileURLToPath(new URL('../screenshots', import.meta.url));

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'";

const COLORS = `:root { color-scheme: light dark; --paper: light-dark(#fff, #0f1116);
--raised: light-dark(#f6f7f9, #171a21); --line: light-dark(#e5e7ec, #272b35);
--ink: light-dark(#171a21, #eceef2); --soft: light-dark(#535a69, #a4abba);
--accent: light-dark(#0a58ca, #8ab8ff); --sans: sans-serif; --mono: monospace;
--tint: color-mix(in srgb, var(--accent) 10%, transparent); }
.method { flex: none; width: 3.5rem; }`;

const PAGE = `<!doctype html><html lang="en"><head><title>Page</title>
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/search.css"><link rel="icon" href="data:,"></head>
<body><main><h1>Page</h1><button>Search</button></main>
<script type="module" src="/page.js"></script></body></html>`;

const PAGE_SCRIPT = `const { open } = await import('/search.js');
document.querySelector('button').addEventListener('click', () => open());
document.documentElement.dataset.ready = '';`;

const TEXTS = [
  '# Rotate a key\n\nA key lives for a day.\n\n## Schedule of keys\n\nEach night.',
  '# Title \\<b>\n\nrepeat `<img src=x onerror=alert(2)>` here',
  '# 言語\n\n## 追跡番号\n\n番号を入力します。',
];

const script = onceForFile(async () => {
  const bundle = await rolldown({ input: join(BROWSER, 'search.ts'), platform: 'browser' });
  const { output } = await bundle.generate({ format: 'es', minify: true });
  return output[0].code;
});

interface Served {
  readonly page: Page;
  readonly origin: string;
  /** Paths that are answered as missing. */
  readonly missing: Set<string>;
}

async function serve(t: TestContext, document: object = ASSISTANTS): Promise<Served> {
  const site = { pages: await guides(TEXTS), references: [await referenceOf(document)] };
  const styles = await readFile(join(BROWSER, 'styles/search.css'), 'utf8');
  const files = new Map(searchFiles(site, () => {}).map((file) => [file.path, file]));
  const add = (path: string, type: string, content: string) =>
    files.set(path, { path, type, content });
  add('/', 'text/html', PAGE);
  add('/2', 'text/html', '<!doctype html><title>Other page</title><link rel="icon" href="data:,">');
  add('/page.js', 'text/javascript', PAGE_SCRIPT);
  add('/search.js', 'text/javascript', await script());
  add('/search.css', 'text/css', COLORS + styles);
  const missing = new Set<string>();
  const server = createServer(({ url = '/' }, response) => {
    const file = missing.has(url) ? undefined : files.get(url);
    const type = `${file?.type ?? 'text/html'}; charset=utf-8`;
    response.writeHead(file ? 200 : 404, {
      'content-type': type,
      'content-security-policy': POLICY,
    });
    response.end(file?.content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const page = await (await startBrowser(t)).newPage({ viewport: { width: 1280, height: 900 } });
  return { page, origin, missing };
}

async function openDialog(page: Page, origin: string): Promise<void> {
  await page.goto(origin);
  await page.locator('html[data-ready]').waitFor();
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('Type to search pages').waitFor();
}

const selected = (page: Page) => page.getByRole('option', { selected: true });

async function type(page: Page, query: string, status: string | RegExp): Promise<void> {
  await page.getByRole('combobox').fill(query);
  await page.getByRole('status').filter({ hasText: status }).waitFor();
}

test('a reader finds by the keyboard, and hears how much there is', async (t) => {
  const { page, origin } = await serve(t);
  const { requests, complaints } = watch(page);
  await openDialog(page, origin);
  await type(page, 'rotat', /^2 results$/);
  await selected(page)
    .filter({ hasText: /Rotate a key.*A key lives for a day/s })
    .waitFor();
  assert.equal(await selected(page).locator('mark').first().textContent(), 'Rotat');

  await type(page, 'temperature', '2 results');
  // As many as before: only what they are tells when the new ones are there.
  await selected(page)
    .filter({ hasText: /temperature.*body property of Create a chat completion/s })
    .waitFor();
  const first = await selected(page).textContent();
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await selected(page).textContent(), first);
  const active = await page.getByRole('combobox').getAttribute('aria-activedescendant');
  assert.equal(active, await selected(page).getAttribute('id'));
  await page.keyboard.press('ArrowDown');
  assert.equal(await selected(page).textContent(), first, 'from the last one to the first');

  await type(page, 'zzzz', 'Nothing found for “zzzz”.');
  await type(page, 'zzzz chat embedding', 'Nothing has all of these words.');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Search' }).click();
  await type(page, '追跡番号', '1 result');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/2#/);
  assert.deepEqual(
    requests.filter((request) => !request.includes(origin)),
    [],
  );
  assert.deepEqual(complaints, []);
});

test('who presses Enter before the results are there is led to the best of them', async (t) => {
  const { page, origin } = await serve(t);
  const { promise: isHeld, resolve: goOn } = Promise.withResolvers<void>();
  await page.route(`**${ENTRY_PATH}`, async (route) => {
    await isHeld;
    await route.continue();
  });
  await openDialog(page, origin);
  await page.getByRole('combobox').fill('追跡番号');
  await page.keyboard.press('Enter');
  goOn();
  await page.waitForURL(/\/2#/);
});

test('the introduction is found, and a question in the words of a reader', async (t) => {
  const introduced = {
    ...ASSISTANTS,
    info: { ...ASSISTANTS.info, description: '## Rate limits\n\nTen a minute.' },
    components: {
      ...ASSISTANTS.components,
      securitySchemes: { apiToken: { type: 'http', scheme: 'bearer' } },
    },
  };
  const { page, origin } = await serve(t, introduced);
  await openDialog(page, origin);
  for (const [query, text, href] of [
    ['how do I authenticate', /Authentication.*apiToken: Bearer token/s, '#authentication'],
    ['bearer', /apiToken.*Bearer token/s, '#security-apiToken'],
    ['rate limits', /Rate limits.*Ten a minute/s, ''],
    ['make a new chat completion', /Create a chat completion/, '/chat/createChatCompletion'],
    ['remove file', /Delete a file/, '/files/deleteFile'],
  ] as const) {
    await type(page, query, /results?$/);
    await selected(page).filter({ hasText: text }).waitFor();
    assert.equal(await selected(page).getAttribute('href'), `/reference${href}`, query);
  }
});

test('what a page says is text in the search, whatever it looks like', async (t) => {
  const { page, origin } = await serve(t);
  await openDialog(page, origin);
  await type(page, 'repeat', /^1 result$/);
  const text = (await selected(page).textContent()) ?? '';
  assert.match(text, /Title <b>.*<img src=x onerror=alert\(2\)>/s);
  assert.equal(await page.locator('dialog img, dialog a b b').count(), 0);
});

test('an index that cannot be loaded is said, and the next key asks for it again', async (t) => {
  const { page, origin, missing } = await serve(t);
  missing.add(ENTRY_PATH);
  await openDialog(page, origin);
  await type(page, 'key', 'The search cannot be loaded.');
  missing.clear();
  await type(page, 'keys', /results/);
});

test('the dialog is legible in the light, in the dark and on a phone, and to those who cannot see it', async (t) => {
  const { page, origin } = await serve(t);
  await openDialog(page, origin);
  await type(page, 'file', /results/);
  for (const [name, width, colorScheme] of [
    ['light', 1280, 'light'],
    ['phone', 360, 'dark'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 740 });
    await screenshot(page, join(SCREENSHOTS, `search-${name}.png`));
    const fits = 'document.documentElement.scrollWidth <= innerWidth';
    assert.ok(await page.evaluate(fits), `wider than a ${name} screen`);
    assert.deepEqual(await seriousViolations(page), [], name);
  }
});
