import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type Page,
  screenshot,
  seriousViolations,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { FILE } from '@petstore/test-support/clean-up.ts';
import { onceForFile } from '@petstore/test-support/once-for-file.ts';
import { type Service, startService } from '../support/service.ts';

// The reference as a reader has it: in a real browser, with a real service behind it.

/** Where pictures of pages go, for people to look at; ignored by git. */
const SCREENSHOTS = join(import.meta.dirname, '../screenshots');

const BEFORE_SUNSET = () => Date.parse('2026-06-01');

/** One service for the tests of which one at most writes: to make the reference's pages is most of what each would take. */
const serviceOfReaders = onceForFile(() => startService(FILE, { now: BEFORE_SUNSET }));

async function open(t: TestContext, { port }: Service, hostname = '127.0.0.1') {
  const page = await (await startBrowser(t)).newPage({ viewport: { width: 1280, height: 900 } });
  const watched = watch(page);
  const reference = `http://${hostname}:${port}/reference`;
  await page.goto(reference);
  return { page, reference, ...watched };
}

const panel = (page: Page) => page.getByRole('dialog');

/** Goes to the page of an operation by the list of operations, and opens its panel. */
async function openPanel(page: Page, reference: string, operation: string): Promise<void> {
  await page.goto(`${reference}/${operation}`);
  await page.getByRole('button', { name: 'Try it' }).click();
  await panel(page).getByRole('button', { name: 'Send' }).waitFor();
}

const keyField = (page: Page) => panel(page).getByLabel(/^apiKey/);

const send = (page: Page) => panel(page).getByRole('button', { name: 'Send' }).click();

async function answered(page: Page, text: RegExp): Promise<void> {
  await panel(page).getByText(text).first().waitFor();
}

test('a reader enters a key, lists and adds animals from the panel, and reads the responses', async (t) => {
  const service = await startService(t, { now: BEFORE_SUNSET });
  const { key, post, get, origin } = service;
  const { page, reference, requests, complaints } = await open(t, service);
  await post('/pets', '{"name":"Rex","categoryId":9007199254740993}');
  await openPanel(page, reference, 'pets/listPets');
  const display = `getComputedStyle(document.querySelector('.try-line')).display`;
  assert.equal(await page.evaluate(display), 'flex', 'it has its own style');
  await keyField(page).fill(key);
  await send(page);
  await answered(page, /200 OK/);
  await answered(page, /9007199254740993/);
  await screenshot(page, join(SCREENSHOTS, 'panel.png'));
  await page.keyboard.press('Escape');

  // On the next page the key is still there, since only a part of the page was changed.
  await page
    .locator('#layout-nav')
    .getByRole('link', { name: /Add an animal/ })
    .click();
  await page.waitForURL(/\/reference\/pets\/createPet$/);
  await page.getByRole('button', { name: 'Try it' }).click();
  assert.equal(await keyField(page).inputValue(), key);
  await send(page);
  await answered(page, /201 Created/);
  assert.match(await (await get('/pets/2')).text(), /^\{"id":2,"name":"Rex",/);

  const elsewhere = requests.filter((request) => !request.split(' ')[1]?.startsWith(`${origin}/`));
  assert.deepEqual(elsewhere, [], 'nothing left for another host');
  assert.deepEqual(complaints, [], 'no script failed, and the policy was kept');
});

test('a reader without a key gets a sandbox with one click, and the first request works', async (t) => {
  const service = await startService(t);
  await service.post('/pets', '{"name":"Own","categoryId":1}');
  const { page, reference, complaints } = await open(t, service);
  await openPanel(page, reference, 'pets/listPets');
  await panel(page).getByText('It needs no account.').waitFor();
  await picture(page, 'sandbox-offer');
  await panel(page).getByRole('button', { name: 'Get a sandbox' }).click();
  await panel(page)
    .getByText(/^Your sandbox ends/)
    .waitFor();
  await send(page);
  await answered(page, /200 OK/);
  await answered(page, /"id": 20/);
  await picture(page, 'sandbox');
  assert.doesNotMatch(await panel(page).innerText(), /Own/);
  assert.equal((await service.store.sandboxes.list()).length, 1);
  assert.deepEqual(complaints, []);

  const closed = await startService(t, { config: { sandboxes: 'keys' } });
  await openPanel(page, `${closed.origin}/reference`, 'pets/listPets');
  assert.equal(await panel(page).getByRole('button', { name: 'Get a sandbox' }).count(), 0);
});

/** The panel at both widths, in both themes. */
async function picture(page: Page, name: string): Promise<void> {
  for (const width of [390, 1280]) {
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await screenshot(page, join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`));
    }
  }
}

test('on the machine itself the panel works under each of its names', async (t) => {
  // The others are at the other.
  const service = await serviceOfReaders();
  const { key, get } = service;
  const { page, reference } = await open(t, service, 'localhost');
  await openPanel(page, reference, 'pets/createPet');
  await keyField(page).fill(key);
  await send(page);
  await answered(page, /201 Created/);
  assert.equal((await get('/pets/1')).status, 200, 'the only animal');
});

test('a wrong key is answered with 401, and the panel shows why', async (t) => {
  const { page, reference } = await open(t, await serviceOfReaders());
  await openPanel(page, reference, 'pets/listPets');
  await keyField(page).fill('pk_live_wrong');
  await send(page);
  await answered(page, /401 Unauthorized/);
  await answered(page, /The API key is not valid here, has expired, or was revoked\./);
});

test('a key is kept in the browser only when the reader asks for it', async (t) => {
  const service = await serviceOfReaders();
  const { key } = service;
  const { page, reference } = await open(t, service);
  const kept = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
  const reload = () => openPanel(page, reference, 'pets/listPets');
  const box = panel(page).getByLabel('Remember my keys in this browser');
  await reload();
  await keyField(page).fill(key);
  assert.ok(!(await kept()).includes(key));
  await reload();
  assert.equal(await keyField(page).inputValue(), '');

  await box.check();
  await keyField(page).fill(key);
  await reload();
  assert.equal(await keyField(page).inputValue(), key);

  await keyField(page).fill(`${key}-changed`);
  // What other pages of the same origin keep is theirs.
  await page.evaluate(`localStorage.setItem('authToken', 'of another program')`);
  await box.uncheck();
  await keyField(page).fill(`${key}-again`);
  assert.match(await kept(), /of another program/);
  assert.ok(!(await kept()).includes(key));
});

test('no way leads to a panel for the list of orders', async (t) => {
  const { page, reference, requests } = await open(t, await serviceOfReaders());
  await page.goto(`${reference}/orders`);
  await page
    .locator('article')
    .getByRole('link', { name: /List orders/ })
    .click();
  await page.waitForURL(/\/listOrders$/);
  await page.getByText('Experimental', { exact: true }).first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'Try it' }).count(), 0);
  assert.equal(await page.locator('.ref-try').count(), 0);

  // The panel of another operation knows that one alone.
  await page.locator('#layout-nav').getByRole('link', { name: /order/i }).last().click();
  await page.getByRole('button', { name: 'Try it' }).click();
  await panel(page).getByRole('button', { name: 'Send' }).waitFor();
  assert.equal(await panel(page).getByText('List orders').count(), 0);
  await page.goBack();
  await page.waitForURL(/\/listOrders$/);
  await panel(page).waitFor({ state: 'detached' });
  assert.deepEqual(
    requests.filter((request) => request.includes('/v1/store/orders')),
    [],
  );
});

test('getPet is shown as deprecated, with its end and what takes its place', async (t) => {
  const { page, reference } = await open(t, await serviceOfReaders());
  await page.goto(`${reference}/pets/getPet`);
  await page.getByText('Removed on 5 December 2030').waitFor();
  await page.locator('article').getByRole('link', { name: 'List animals' }).click();
  await page.waitForURL(/\/reference\/pets\/listPets$/);
});

test('without scripts an operation is whole: its parameters, its bodies and how it is called', async (t) => {
  const { origin } = await serviceOfReaders();
  const context = await (await startBrowser(t)).newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${origin}/reference/pets/listPets`);
  const content = (await page.locator('main').textContent()) ?? '';
  for (const part of ['GET', '/pets', 'limit', 'status', '200', '401', 'apiKey', 'curl']) {
    assert.ok(content.includes(part), part);
  }
  const markdown = await (await fetch(`${origin}/reference/pets/listPets.md`)).text();
  assert.match(markdown, /^# List animals\n/);
});

test('the fragment of an operation on the one page of earlier versions leads to its page', async (t) => {
  const { page, reference } = await open(t, await serviceOfReaders());
  await page.goto(`${reference}#tag/pets/POST/pets`);
  await page.waitForURL(/\/reference\/pets\/createPet$/);
});

test('pages are legible in the light, in the dark and on a phone, and to those who cannot see them', async (t) => {
  const browser = await startBrowser(t);
  const { origin } = await serviceOfReaders();
  const looks = [
    { name: 'light', width: 1280, height: 900, colorScheme: 'light' },
    { name: 'dark', width: 1280, height: 900, colorScheme: 'dark' },
    { name: 'phone', width: 360, height: 740, colorScheme: 'dark' },
  ] as const;
  const context = await browser.newContext({ bypassCSP: true });
  for (const path of [
    'reference',
    'reference/pets',
    'reference/pets/createPet',
    'reference/models/Pet',
    'errors',
    'errors/unauthorized',
  ]) {
    const page = await context.newPage();
    await page.goto(`${origin}/${path}`);
    for (const { name, width, height, colorScheme } of looks) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height });
      await screenshot(page, join(SCREENSHOTS, `${path.replaceAll('/', '-')}-${name}.png`));
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${path} is ${overflow} px wider than a ${name} screen`);
      const serious = await seriousViolations(page, { colorsOnly: name === 'dark' });
      assert.deepEqual(serious, [], `${path}, ${name}`);
    }
    await page.close();
  }
});
