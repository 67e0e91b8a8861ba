import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import {
  type Page,
  screenshot,
  seriousViolations,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onceForFile } from '@petstore/test-support/once-for-file.ts';
import { readCheckedDocument } from '../../src/openapi/checked-document.ts';
import { documentSite } from '../../src/reference/document-site.ts';

// The code samples and examples of a site, in a real browser.

const pet = (id: string) => ({ 'application/json': { example: { id } } });

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: '/v1' }],
  paths: {
    '/pets': {
      get: {
        operationId: 'list',
        responses: {
          200: { description: 'All', content: pet('all-of-them') },
          404: {
            description: 'None',
            content: {
              'application/json': {
                examples: { one: { value: 'first-none' }, two: { value: 'second-none' } },
              },
            },
          },
        },
      },
      post: {
        operationId: 'add',
        'x-codeSamples': [{ lang: 'Python', label: 'Our SDK', source: 'pets.add()' }],
        requestBody: { content: pet('new') },
        responses: { 201: { description: 'Added', content: pet('added') } },
      },
    },
    '/payments': {
      post: {
        operationId: 'pay',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { type: 'object', properties: { by: { type: 'string' } } },
              examples: {
                card: { summary: 'By card', value: { by: 'card-1' } },
                bank: { summary: 'By bank', value: { by: 'bank-1' } },
              },
            },
            'application/x-www-form-urlencoded': {
              schema: { type: 'object', properties: { by: { type: 'string' } } },
              examples: { a: { value: { by: 'form-1' } }, b: { value: { by: 'form-2' } } },
            },
          },
        },
        responses: { 200: { description: 'Paid' } },
      },
    },
  },
};

const site = onceForFile(async () => {
  const bytes = Buffer.from(JSON.stringify(DOCUMENT));
  const checked = await readCheckedDocument(bytes, 'openapi.json', () => {});
  assert.ok('upgraded' in checked);
  const { files, contentSecurityPolicy } = await documentSite(checked, () => {});
  return { byPath: new Map([...files].map((file) => [file.path, file])), contentSecurityPolicy };
});

async function serve(t: TestContext): Promise<string> {
  const { byPath, contentSecurityPolicy } = await site();
  const server = createServer((request, response) => {
    const file = byPath.get(new URL(request.url ?? '/', 'http://site').pathname);
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': file?.type,
      'content-security-policy': contentSecurityPolicy,
    });
    response.end(file?.content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Options {
  readonly width?: number;
  readonly javaScriptEnabled?: boolean;
  readonly colorScheme?: 'light' | 'dark';
}

async function open(t: TestContext, { width = 1440, ...options }: Options = {}) {
  const origin = await serve(t);
  const browser = await startBrowser(t);
  const context = await browser.newContext({ viewport: { width, height: 900 }, ...options });
  const page = await context.newPage();
  return { origin, page, ...watch(page) };
}

const LIST = '/reference/operations/list';
const ADD = '/reference/operations/add';

const code = (page: Page) => page.locator('.ref-sample code:visible');
const chooser = (page: Page) => page.getByLabel('Language of the code sample');

async function shows(page: Page, text: string) {
  await code(page).filter({ hasText: text }).waitFor();
}

test('a language is loaded when it is chosen, and is shown on the next page too', async (t) => {
  const { page, origin, requests, complaints } = await open(t);
  await page.goto(origin + LIST);
  await shows(page, `curl '${origin}/v1/pets'`);
  const isLoaded = () => requests.some((url) => url.includes('/snippets'));
  assert.equal(isLoaded(), false);
  await chooser(page).selectOption({ label: 'Go' });
  await shows(page, `requestUrl := "${origin}/v1/pets"`);
  assert.equal(isLoaded(), true);
  await page.goto(origin + ADD);
  await shows(page, 'http.NewRequest("POST"');
  assert.equal(await chooser(page).inputValue(), 'go');
  assert.deepEqual(complaints, []);
});

test('the code sample and the panel follow the example of the body that is chosen', async (t) => {
  const { page, origin, complaints } = await open(t);
  await page.goto(`${origin}/reference/operations/pay`);
  await shows(page, 'card-1');
  await page.getByRole('radio', { name: 'By bank' }).check();
  await shows(page, 'bank-1');
  await chooser(page).selectOption({ label: 'Go' });
  await shows(page, 'bank-1');
  await page.getByRole('radio', { name: 'b (application/x-www-form-urlencoded)' }).check();
  await shows(page, 'form-2');
  await chooser(page).selectOption({ label: 'curl' });
  await shows(page, 'by=form-2');

  const tryIt = page.getByRole('button', { name: 'Try it' });
  const field = page.getByLabel(/^by/);
  const openPanel = async () => {
    await tryIt.click();
    await page.getByRole('dialog').waitFor();
  };
  await openPanel();
  assert.equal(await field.inputValue(), 'form-2');
  assert.equal(await page.getByLabel('Example', { exact: true }).inputValue(), '1');
  await field.fill('own');
  await page.keyboard.press('Escape');
  await openPanel();
  assert.equal(await field.inputValue(), 'own', 'what was entered is still there');
  await page.keyboard.press('Escape');
  await page.getByRole('radio', { name: 'By card' }).check();
  await shows(page, 'card-1');
  await openPanel();
  assert.equal(await field.inputValue(), 'card-1');
  assert.deepEqual(complaints, []);
});

test("the document's own samples come first, and one stands for its language", async (t) => {
  const { page, origin } = await open(t);
  await page.goto(origin + ADD);
  await shows(page, 'pets.add()');
  const options = await chooser(page).locator('option').allTextContents();
  assert.deepEqual(options.slice(0, 3), ['Our SDK', 'curl', 'JavaScript']);
  assert.ok(!options.includes('Python') && options.length >= 12);
  await chooser(page).selectOption({ label: 'curl' });
  await shows(page, '--data-raw');
  await chooser(page).selectOption({ label: 'Our SDK' });
  await page.goto(origin + LIST);
  await shows(page, 'import requests');
});

test('without scripts each sample and example is reached by its tab', async (t) => {
  const { page, origin } = await open(t, { javaScriptEnabled: false });
  await page.goto(origin + LIST);
  await shows(page, 'curl');
  const aside = page.getByRole('complementary', { name: 'Examples' });
  await aside.getByText('all-of-them').waitFor();
  await aside.getByRole('radio', { name: '404' }).check();
  await aside.getByText('first-none').waitFor();
  await aside.getByRole('radio', { name: 'two' }).check();
  await aside.getByText('second-none').waitFor();
  assert.equal(await aside.getByText('all-of-them').isVisible(), false);
  await page.goto(origin + ADD);
  await page.getByRole('radio', { name: 'curl' }).check();
  await shows(page, '--data-raw');
});

const LOOKS = [
  { width: 1440, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const;

for (const { width, colorScheme } of LOOKS) {
  test(`examples fit ${width} pixels and can be read by everyone: ${colorScheme}`, async (t) => {
    const { page, origin, complaints } = await open(t, { width, colorScheme });
    await page.goto(origin + LIST);
    await chooser(page).waitFor();
    await screenshot(page, `node_modules/.cache/screenshots/samples-${colorScheme}.png`, {
      fullPage: true,
    });
    assert.deepEqual(await seriousViolations(page), []);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
    assert.deepEqual(complaints, []);
  });
}
