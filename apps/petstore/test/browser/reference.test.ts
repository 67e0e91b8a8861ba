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
import { startService } from '../support/service.ts';

// The reference as a reader has it: in a real browser, with a real service behind it.

/** Where pictures of pages go, for people to look at; ignored by git. */
const SCREENSHOTS = join(import.meta.dirname, '../screenshots');

const BEFORE_SUNSET = () => Date.parse('2026-06-01');

async function open(t: TestContext, hostname = '127.0.0.1') {
  const service = await startService(t, { now: BEFORE_SUNSET });
  const page = await (await startBrowser(t)).newPage({ viewport: { width: 1280, height: 900 } });
  const watched = watch(page);
  await page.goto(`http://${hostname}:${service.port}/reference`);
  await section(page, 'pets/GET/pets').waitFor();
  return { ...service, page, ...watched };
}

const section = (page: Page, operation: string) => page.locator(`section[id$="tag/${operation}"]`);

const keyField = (page: Page) => page.getByPlaceholder('Token').first();

const goTo = (page: Page, hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

/** Opens the panel of an operation. */
async function openPanel(page: Page, operation: string) {
  const [tag = '', ...path] = operation.split('/');
  await goTo(page, `tag/${tag}/${path.join('/')}`);
  await section(page, operation).locator('.show-api-client-button').click();
}

const sender = (page: Page) =>
  page.locator('[data-addressbar-action=send]').filter({ visible: true });

const send = (page: Page) => sender(page).click();

const panelText = (page: Page) => page.locator('.scalar-client--open');

async function answered(page: Page, text: RegExp): Promise<void> {
  await panelText(page).getByText(text).first().waitFor({ timeout: 10_000 });
}

test('a reader enters a key, lists and adds animals from the panel, and reads the responses', async (t) => {
  const { page, key, post, get, origin, requests, complaints } = await open(t);
  await post('/pets', '{"name":"Rex","categoryId":9007199254740993}');
  await keyField(page).fill(key);
  await openPanel(page, 'pets/GET/pets');
  await send(page);
  await answered(page, /200 OK/);
  await answered(page, /9007199254740993/);
  await screenshot(page, join(SCREENSHOTS, 'panel.png'));
  await page.keyboard.press('Escape');

  await openPanel(page, 'pets/POST/pets');
  await send(page);
  await answered(page, /201 Created/);
  assert.match(await (await get('/pets/2')).text(), /^\{"id":2,"name":"Rex",/);

  const elsewhere = requests.filter((request) => !request.split(' ')[1]?.startsWith(`${origin}/`));
  assert.deepEqual(elsewhere, [], 'nothing left for another host');
  assert.deepEqual(complaints, [], 'no script failed, and the policy was kept');
});

test('on the machine itself the panel works under each of its names', async (t) => {
  // The others are at the other.
  const { page, key, get } = await open(t, 'localhost');
  await keyField(page).fill(key);
  await openPanel(page, 'pets/POST/pets');
  await send(page);
  await answered(page, /201 Created/);
  assert.equal((await get('/pets/1')).status, 200);
});

test('a wrong key is answered with 401, and the panel shows why', async (t) => {
  const { page } = await open(t);
  await keyField(page).fill('pk_live_wrong');
  await openPanel(page, 'pets/GET/pets');
  await send(page);
  await answered(page, /401 Unauthorized/);
  await answered(page, /The API key is not valid here, has expired, or was revoked\./);
});

test('a key is kept in the browser only when the reader asks for it', async (t) => {
  const { page, key } = await open(t);
  const kept = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
  const reload = async () => {
    await page.reload();
    // Its operations may be folded up: the address is that of the introduction by now.
    await section(page, 'pets').waitFor();
  };
  await keyField(page).fill(key);
  await page.waitForTimeout(1_500);
  assert.ok(!(await kept()).includes(key));
  await reload();
  assert.equal(await keyField(page).inputValue(), '');

  await page.getByLabel('Remember my key here').check();
  await keyField(page).fill(key);
  await page.waitForTimeout(1_500);
  await reload();
  assert.equal(await keyField(page).inputValue(), key);

  // Scalar saves what was typed a moment later: too late for a key that is forgotten by then.
  await keyField(page).fill(`${key}-changed`);
  // What other pages of the same origin keep is theirs.
  await page.evaluate(`localStorage.setItem('authToken', 'of another program')`);
  await page.getByLabel('Remember my key here').uncheck();
  assert.ok(!(await kept()).includes(key));
  await page.waitForTimeout(1_500);
  assert.match(await kept(), /of another program/);
  assert.ok(!(await kept()).includes(key));
});

test('no way leads to a panel for the list of orders', async (t) => {
  const { page, key, requests } = await open(t);
  await keyField(page).fill(key);
  await goTo(page, 'tag/orders/GET/store/orders');
  const orders = section(page, 'orders/GET/store/orders');
  await orders.waitFor();
  await orders.getByText('experimental', { exact: true }).first().waitFor();
  assert.equal(await orders.locator('.show-api-client-button').isVisible(), false);
  await section(page, 'orders/POST/store/orders').locator('.show-api-client-button').waitFor();

  // From the panel of another operation: its list of operations is not to be had.
  await openPanel(page, 'orders/POST/store/orders');
  await sender(page).waitFor();
  assert.equal(
    await page
      .locator('.scalar-sidebar-toggle')
      .first()
      .isVisible()
      .catch(() => false),
    false,
  );
  const panel = panelText(page);
  assert.equal(await panel.getByText('List orders').filter({ visible: true }).count(), 0);
  await page.keyboard.press('Escape');

  // Not even a click on the button that cannot be seen sends anything.
  await orders.locator('.show-api-client-button').dispatchEvent('click');
  await page.waitForTimeout(500);
  if (await sender(page).isVisible()) await send(page);
  await page.waitForTimeout(1_000);
  assert.deepEqual(
    requests.filter((request) => request.includes('/v1/store/orders')),
    [],
  );
});

test('getPet is shown as deprecated, with its end and what takes its place', async (t) => {
  const { page } = await open(t);
  await goTo(page, 'tag/pets/GET/pets/{petId}');
  const pet = section(page, 'pets/GET/pets/{petId}');
  await pet.getByText('To be removed on 5 December 2030.').waitFor();
  await pet.getByRole('link', { name: 'List animals' }).click();
  await page.waitForURL(/#tag\/pets\/GET\/pets$/);
});

test('pages are legible in the light, in the dark and on a phone, and to those who cannot see them', async (t) => {
  const browser = await startBrowser(t);
  const { origin } = await startService(t, { now: BEFORE_SUNSET });
  const looks = [
    { name: 'light', width: 1280, height: 900, colorScheme: 'light' },
    { name: 'dark', width: 1280, height: 900, colorScheme: 'dark' },
    { name: 'phone', width: 360, height: 740, colorScheme: 'dark' },
  ] as const;
  const context = await browser.newContext({ bypassCSP: true });
  for (const path of ['reference', 'errors', 'errors/unauthorized']) {
    const page = await context.newPage();
    await page.goto(`${origin}/${path}`);
    if (path === 'reference') await section(page, 'pets/GET/pets').waitFor();
    for (const { name, width, height, colorScheme } of looks) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(500);
      await screenshot(page, join(SCREENSHOTS, `${path.replace('/', '-')}-${name}.png`));
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${path} is ${overflow} px wider than a ${name} screen`);
      // Scalar's buttons that copy an example have no name.
      const isExcused = (html: string) => html.includes('scalar-code-copy');
      const serious = await seriousViolations(page, { isExcused, colorsOnly: name === 'dark' });
      assert.deepEqual(serious, [], `${path}, ${name}`);
    }
    await page.close();
  }
});
