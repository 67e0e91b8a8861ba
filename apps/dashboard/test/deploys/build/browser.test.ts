import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { listOperations } from '@petstore/site/openapi/operations.ts';
import { plainText } from '@petstore/site/openapi/plain-text.ts';
import {
  type Browser,
  type Page,
  screenshot,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { built, filesOf, fixture, textOf } from '../../support/build-site.ts';
import { FITS } from '../../support/look.ts';
import { serveSite } from '../../support/serve-site.ts';

// Built sites as a reader has them: in a real browser, under their own policy.

const SCREENSHOTS = join(import.meta.dirname, '../../screenshots');

interface Opened {
  readonly page: Page;
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
  readonly origin: string;
}

async function open(
  t: TestContext,
  browser: Browser,
  document: Uint8Array | object,
  look: { width: number; height: number; colorScheme: 'light' | 'dark' } = {
    width: 1280,
    height: 900,
    colorScheme: 'light',
  },
): Promise<Opened & { anchors: string[] }> {
  const artifact = await built(document);
  const origin = await serveSite(t, filesOf(artifact));
  const { width, height, colorScheme } = look;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  const watched = watch(page);
  await page.goto(`${origin}/`);
  const shown = Object.keys(artifact.manifest.files).find((path) =>
    /^\/_assets\/reference-.*json$/.test(path),
  );
  const anchors = listOperations(JSON.parse(textOf(artifact, shown ?? '')), plainText()).map(
    ({ anchor }) => anchor,
  );
  await page.locator('section[id]').first().waitFor();
  return { page, origin, anchors, ...watched };
}

const section = (page: Page, anchor: string) =>
  page.locator(`section[id$=${JSON.stringify(`/${anchor}`)}]`);

const panelButton = (page: Page, anchor: string) =>
  section(page, anchor).locator('.show-api-client-button');

/** Asks again, as a reader would, where the page was still on its way to the one before and went on to that. */
async function goTo(page: Page, anchor: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    if (attempt > 1) await page.evaluate("location.hash = ''");
    await page.evaluate(`location.hash = ${JSON.stringify(`#${anchor}`)}`);
    try {
      await section(page, anchor).waitFor({ timeout: 8_000 });
      return;
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

const DOCUMENTS = [
  {
    name: 'payments.yaml',
    badge: { anchor: 'tag/charges/POST/charges', text: 'beta' },
    withoutPanel: 'tag/refunds-disputes/POST/charges/{charge}/refunds',
  },
  {
    name: 'code-hosting.json',
    badge: { anchor: 'tag/repos/GET/repos/{owner}/{repo}', text: 'alpha' },
    withoutPanel: 'tag/repos/GET/repos/{owner}/{repo}/contents/{path}',
  },
  {
    name: 'weather.json',
    badge: { anchor: 'tag/forecasts/POST/stations', text: 'experimental' },
    withoutPanel: 'tag/forecasts/POST/stations',
  },
] as const;

for (const { name, badge, withoutPanel } of DOCUMENTS) {
  test(`${name}: each operation is at its anchor, marks are shown, and nothing comes from elsewhere`, async (t) => {
    const browser = await startBrowser(t);
    const { page, anchors, requests, complaints, origin } = await open(
      t,
      browser,
      await fixture(name),
    );
    const withPanel = anchors.filter((one) => one !== withoutPanel && !one.includes('webhook/'));
    for (const anchor of anchors) {
      await goTo(page, anchor);
      if (withPanel.includes(anchor)) {
        assert.ok(await panelButton(page, anchor).isVisible(), anchor);
      }
    }
    await section(page, badge.anchor).getByText(badge.text, { exact: true }).first().waitFor();
    assert.equal(await panelButton(page, withoutPanel).isVisible(), false);
    await screenshot(page, join(SCREENSHOTS, `${name}.png`));
    assert.deepEqual(
      requests.filter((request) => !request.startsWith(`GET ${origin}/`)),
      [],
    );
    assert.deepEqual(complaints, []);
  });
}

test('the reference is usable on a phone and in the dark', async (t) => {
  const browser = await startBrowser(t);
  const { page } = await open(t, browser, await fixture('payments.yaml'));
  for (const look of [
    { name: 'dark', width: 1280, height: 900, colorScheme: 'dark' },
    { name: 'phone', width: 360, height: 740, colorScheme: 'dark' },
    { name: 'phone-light', width: 360, height: 740, colorScheme: 'light' },
  ] as const) {
    const { name, width, height, colorScheme } = look;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    assert.ok(await page.evaluate(FITS), `it is too wide on ${name}`);
    await page.locator(`body.${colorScheme}-mode`).waitFor();
    await screenshot(page, join(SCREENSHOTS, `reference-${name}.png`));
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
  const { page } = await open(t, browser, HOSTILE);
  await page.waitForTimeout(1_500);
  assert.equal(await page.locator('[href^="javascript:" i]').count(), 0);
  for (const link of await page.getByRole('link', { name: 'click' }).all()) {
    await link.click({ timeout: 2_000 }).catch(() => {});
  }
  assert.equal(await page.evaluate('window.hurt'), undefined);
  assert.ok(await page.locator('body').isVisible());
  await screenshot(page, join(SCREENSHOTS, 'hostile.png'));
});

test('no way leads to a panel for an operation that hides it, whatever its address is filled in with', async (t) => {
  const browser = await startBrowser(t);
  const hidden = { responses: { 200: { description: 'x' } }, 'x-hideTryItPanel': true };
  const shown = { responses: { 200: { description: 'x' } } };
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: 'a/b' };
  const { page, requests } = await open(t, browser, {
    openapi: '3.1.0',
    info: { title: 'Hidden', version: '1' },
    servers: [{ url: '/deep/api/v7' }],
    paths: {
      '/things/{id}': { parameters: [id], get: hidden, put: shown },
      '/things/all': { get: shown },
      '/more/things/{id}': { parameters: [id], get: shown },
    },
  });
  const attempt = async (anchor: string): Promise<string[]> => {
    await goTo(page, anchor);
    const before = requests.length;
    await panelButton(page, anchor).evaluate((button) => (button as { click?(): void }).click?.());
    const send = page.locator('[data-addressbar-action=send]').filter({ visible: true });
    await send.click();
    await page.waitForTimeout(700);
    await page.keyboard.press('Escape');
    await send.waitFor({ state: 'hidden' });
    return requests.slice(before).map((request) => request.replace(/ .*\/v7/, ' '));
  };
  assert.deepEqual(await attempt('PUT/things/{id}'), ['PUT /things/a%2Fb']);
  assert.deepEqual(await attempt('GET/things/all'), ['GET /things/all']);
  assert.deepEqual(await attempt('GET/more/things/{id}'), ['GET /more/things/a%2Fb']);
  assert.deepEqual(await attempt('GET/things/{id}'), []);
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

const BIKES = 'tag/bikes/GET/bikes';

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
  const browser = await startBrowser(t);
  const { page, origin } = await open(t, browser, bikes(server));
  await goTo(page, BIKES);
  await panelButton(page, BIKES).click();
  const send = page.locator('[data-addressbar-action=send]').filter({ visible: true });
  await send.waitFor();
  assert.equal(await page.locator('.ascii-art').filter({ visible: true }).count(), 0);
  await send.click();
  const notice = page.getByRole('alert').filter({ hasText: 'CORS' });
  await notice.waitFor();
  assert.equal(
    await notice.textContent(),
    `No response from ${server}. Either it is down, or it does not allow pages of ${origin} (CORS): its operator must send Access-Control-Allow-Origin: ${origin} and Access-Control-Allow-Headers: authorization.`,
  );
  // Longer than messages that pass.
  await page.waitForTimeout(4_000);
  assert.ok(await notice.isVisible());
  await screenshot(page, join(SCREENSHOTS, 'no-answer.png'));

  allowed['access-control-allow-origin'] = origin;
  allowed['access-control-allow-headers'] = 'authorization';
  await send.click();
  await page
    .getByText(/200 OK/)
    .filter({ visible: true })
    .first()
    .waitFor();
  assert.equal(await notice.count(), 0);

  delete allowed['access-control-allow-origin'];
  await send.click();
  await notice.waitFor();
  await page.keyboard.press('Escape');
  await send.waitFor({ state: 'hidden' });
  await panelButton(page, BIKES).click();
  await send.waitFor();
  assert.equal(await notice.count(), 0);
});

test('an operation that a link leads to has the focus and no frame, and nothing is said that no document says', async (t) => {
  const { page } = await open(t, await startBrowser(t), bikes('http://localhost:9'));
  await goTo(page, BIKES);
  await section(page, BIKES).getByText('limit').first().waitFor();
  await section(page, BIKES).focus();
  assert.equal(
    await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'),
    'none',
  );
  assert.equal(await page.getByText('Integer numbers.').count(), 0);
});

test('a method has the same hue in the list of operations and in the search', async (t) => {
  const { page } = await open(t, await startBrowser(t), bikes('http://localhost:9'));
  const color = (selector: string) =>
    page.evaluate(
      `getComputedStyle(document.querySelector('${selector}')).color.match(/[0-9]+/g).map(Number)`,
    );
  await page.keyboard.press('/');
  await page.getByRole('combobox').fill('bikes');
  await page.locator('.method-get').first().waitFor();
  for (const selector of ['.method-get', '.sidebar-heading-type']) {
    const [red = 0, green = 0, blue = 0] = (await color(selector)) as number[];
    assert.ok(blue > green && blue > red, `${selector} is ${[red, green, blue]}`);
  }
});

test('on a phone nothing lies on what the key is for, and the box to keep it takes one line', async (t) => {
  const look = { width: 360, height: 740, colorScheme: 'light' } as const;
  const { page } = await open(t, await startBrowser(t), bikes('http://localhost:9'), look);
  const required = page.getByTestId('auth-indicator').first();
  const box = await required.boundingBox();
  const other = await page.getByText('Selected Auth Type').first().boundingBox();
  assert.ok(box && other);
  assert.ok(other.y >= box.y + box.height - 6 || other.x >= box.x + box.width);
  const keep = await page.getByText('Keep key').boundingBox();
  assert.ok(keep && keep.height < 30);
});

test('the page for what is missing has the header and the search', async (t) => {
  const { page, origin } = await open(t, await startBrowser(t), bikes('http://localhost:9'));
  const answer = await page.goto(`${origin}/nowhere`);
  assert.equal(answer?.status(), 404);
  await page.keyboard.press('/');
  await page.getByRole('combobox').fill('bikes');
  await page.getByRole('option', { name: /List bikes/ }).waitFor();
  await page.keyboard.press('Enter');
  await section(page, BIKES).waitFor();
});
