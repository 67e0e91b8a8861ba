import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type Browser,
  type Page,
  screenshot,
  seriousViolations,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onceForFile } from '@petstore/test-support/once-for-file.ts';
import { type BuiltArtifact, built, filesOf, fixture } from '../../support/build-site.ts';
import { FITS } from '../../support/look.ts';
import { serveSite } from '../../support/serve-site.ts';

// Built sites as a reader has them: in a real browser, under their own policy.

const SCREENSHOTS = join(import.meta.dirname, '../../screenshots');

interface Opened {
  readonly page: Page;
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
  readonly origin: string;
  /** The paths of the site's pages. */
  readonly pages: readonly string[];
}

async function open(
  t: TestContext,
  browser: Browser,
  document: Uint8Array | object,
): Promise<Opened> {
  return openBuilt(t, browser, await built(document));
}

async function openBuilt(
  t: TestContext,
  browser: Browser,
  artifact: BuiltArtifact,
): Promise<Opened> {
  const origin = await serveSite(t, filesOf(artifact));
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const watched = watch(page);
  await page.goto(`${origin}/`);
  const pages = Object.entries(artifact.manifest.files)
    .filter(([path, { type }]) => type.startsWith('text/html') && !path.endsWith('.html'))
    .map(([path]) => path);
  return { page, origin, pages, ...watched };
}

const tryIt = (page: Page) => page.getByRole('button', { name: 'Try it' });

const panel = (page: Page) => page.getByRole('dialog');

const send = (page: Page) => panel(page).getByRole('button', { name: 'Send' });

const DOCUMENTS = [
  {
    name: 'payments.yaml',
    badge: { path: '/reference/charges/createCharge', text: 'Beta' },
    withoutPanel: /refunds/,
  },
  {
    name: 'code-hosting.json',
    badge: { path: '/reference/repos/repos-get', text: 'Alpha' },
    withoutPanel: /contents/,
  },
  {
    name: 'weather.json',
    badge: { path: '/reference/forecasts/addStation', text: 'Experimental' },
    withoutPanel: /addStation/,
  },
] as const;

for (const { name, badge, withoutPanel } of DOCUMENTS) {
  test(`${name}: each page is complete, marks are shown, and nothing comes from elsewhere`, async (t) => {
    const browser = await startBrowser(t);
    const { page, pages, requests, complaints, origin } = await open(
      t,
      browser,
      await fixture(name),
    );
    assert.ok(pages.length > 5, pages.join(' '));
    for (const path of pages) {
      await page.goto(`${origin}${encodeURI(path)}`);
      assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, path);
      const isOperation =
        (await page.locator('.ref-address').count()) > 0 && !path.includes('/webhooks/');
      const hasPanel = isOperation && !withoutPanel.test(path);
      assert.equal(await tryIt(page).count(), hasPanel ? 1 : 0, path);
    }
    await page.goto(`${origin}${badge.path}`);
    await page.getByText(badge.text, { exact: true }).first().waitFor();
    await screenshot(page, join(SCREENSHOTS, `${name}.png`));
    assert.deepEqual(
      requests.filter((request) => !request.startsWith(`GET ${origin}/`)),
      [],
    );
    assert.deepEqual(complaints, []);
  });
}

test('the reference is legible on a phone and in the dark, and to those who cannot see it', async (t) => {
  const browser = await startBrowser(t);
  const { origin, pages } = await open(t, browser, await fixture('payments.yaml'));
  const context = await browser.newContext({ bypassCSP: true, reducedMotion: 'reduce' });
  const page = await context.newPage();
  for (const path of pages) {
    await page.goto(`${origin}${encodeURI(path)}`);
    for (const look of [
      { name: 'light', width: 1280, height: 900, colorScheme: 'light' },
      { name: 'dark', width: 1280, height: 900, colorScheme: 'dark' },
      { name: 'phone', width: 360, height: 740, colorScheme: 'dark' },
    ] as const) {
      const { name, width, height, colorScheme } = look;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      assert.ok(await page.evaluate(FITS), `${path} is too wide on ${name}`);
      await screenshot(page, join(SCREENSHOTS, `payments${path.replaceAll('/', '-')}-${name}.png`));
      const serious = await seriousViolations(page, { colorsOnly: name === 'dark' });
      assert.deepEqual(serious, [], `${path}, ${name}`);
    }
  }
});

const EVIL = '</script><script>window.hurt = 1</script><img src=x onerror="window.hurt = 2">';

const HOSTILE = {
  openapi: '3.1.0',
  info: {
    title: `Evil ${EVIL}`,
    version: '1',
    description: `${EVIL}\n\n[click](javascript:window.hurt=3) <a href="javascript:window.hurt=4">here</a> <svg onload="window.hurt=5"></svg><iframe srcdoc="<script>parent.hurt=6</script>"></iframe>`,
    contact: { name: EVIL, url: 'javascript:window.hurt=7' },
    license: { name: EVIL, url: 'javascript:window.hurt=8' },
    termsOfService: 'javascript:window.hurt=9',
  },
  externalDocs: { url: 'javascript:window.hurt=10', description: EVIL },
  servers: [{ url: "https://a.example; script-src 'unsafe-inline' *" }, { url: 'javascript:1' }],
  tags: [{ name: EVIL, description: EVIL, externalDocs: { url: 'javascript:window.hurt=11' } }],
  paths: {
    '/a"], body, [x="': {
      get: {
        operationId: `../../../etc/passwd ${EVIL}`,
        tags: [EVIL],
        summary: EVIL,
        description: EVIL,
        'x-hideTryItPanel': true,
        externalDocs: { url: 'javascript:window.hurt=12' },
        responses: { '200': { description: EVIL } },
      },
    },
  },
  components: JSON.parse(
    '{"schemas": {"__proto__": {"type": "object"}, "constructor": {"type": "object", "properties": {"__proto__": {"type": "string"}}}}}',
  ),
};

test('a hostile document runs nothing, leads nowhere and hides nothing', async (t) => {
  const browser = await startBrowser(t);
  const { page, pages, origin } = await open(t, browser, HOSTILE);
  for (const path of pages) {
    await page.goto(`${origin}${encodeURI(path)}`);
    assert.equal(await page.locator('[href^="javascript:" i]').count(), 0, path);
    for (const link of await page.getByRole('link', { name: 'click' }).all()) {
      await link.click({ timeout: 2_000 }).catch(() => {});
    }
    assert.equal(await page.evaluate('window.hurt'), undefined, path);
    assert.ok(await page.getByRole('heading', { level: 1 }).isVisible(), path);
    await screenshot(page, join(SCREENSHOTS, `hostile-${pages.indexOf(path)}.png`));
  }
});

/** An API of one operation, `GET /bikes`, with a key. */
const bikes = (server: string) => ({
  openapi: '3.1.0',
  info: { title: 'Bikes', version: '1' },
  servers: [{ url: server }],
  security: [{ key: [] }],
  paths: {
    '/bikes': {
      get: {
        tags: ['bikes'],
        summary: 'List bikes',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
        responses: { 200: { description: 'Bikes.' } },
      },
    },
  },
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
});

/** The site of bikes whose API nobody asks. */
const unasked = onceForFile(() => built(bikes('http://localhost:9')));

const BIKES = '/reference/bikes/get-bikes';

test('when no response comes the panel says so, why, and what to do, until the next request', async (t) => {
  const allowed: Record<string, string> = {};
  const api = createServer((_request, response) => response.writeHead(200, allowed).end('[]'));
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  cleanUp(t, () => {
    api.close();
    api.closeAllConnections();
  });
  const server = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const { page, origin } = await open(t, await startBrowser(t), bikes(server));
  await page.goto(`${origin}${BIKES}`);
  await tryIt(page).click();
  await panel(page).getByLabel(/^key/).fill('secret');
  await send(page).click();
  const notice = panel(page).getByRole('alert').filter({ hasText: 'CORS' });
  await notice.waitFor();
  assert.equal(
    await notice.textContent(),
    `${server} is up, but it does not allow pages of ${origin} (CORS). Its operator must send Access-Control-Allow-Origin: ${origin} and Access-Control-Allow-Headers: authorization.`,
  );
  await screenshot(page, join(SCREENSHOTS, 'no-answer.png'));

  allowed['access-control-allow-origin'] = origin;
  allowed['access-control-allow-headers'] = 'authorization';
  await send(page).click();
  await panel(page)
    .getByText(/200 OK/)
    .waitFor();
  assert.equal(await notice.count(), 0);

  delete allowed['access-control-allow-origin'];
  await send(page).click();
  await notice.waitFor();
  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'hidden' });
  await tryIt(page).click();
  await send(page).waitFor();
  assert.equal(await notice.count(), 0);
});

test('a method has the same hue in the list of operations and in the search', async (t) => {
  const { page, origin } = await openBuilt(t, await startBrowser(t), await unasked());
  await page.goto(`${origin}${BIKES}`);
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search the documentation' }).fill('bikes');
  await page.locator('.search-result').first().waitFor();
  for (const place of ['#layout-nav', '[role=option]']) {
    const color = await page.evaluate(
      `getComputedStyle(document.querySelector('${place} .method-get')).color`,
    );
    const [red = 0, green = 0, blue = 0] =
      String(color)
        .match(/[\d.]+/g)
        ?.map(Number) ?? [];
    assert.ok(blue > green && blue > red, `${place} is ${color}`);
  }
});

test('the page for what is missing has the header and the search', async (t) => {
  const { page, origin } = await openBuilt(t, await startBrowser(t), await unasked());
  const answer = await page.goto(`${origin}/nowhere`);
  assert.equal(answer?.status(), 404);
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search the documentation' }).fill('bikes');
  await page
    .getByRole('option', { name: /List bikes/ })
    .first()
    .click();
  await page.waitForURL(`${origin}${BIKES}`);
});
