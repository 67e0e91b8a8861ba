import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { settled, startBrowser } from '@petstore/test-support/browser.ts';
import { operationDataScript } from '../../src/reference/operation-data.ts';
import { serveHandMadeSite } from './support/hand-made-site.ts';

// The button for trying an operation, while the panel is loaded and where it could not be.

const PANEL = /\/panel-[^/]*\.js$/;
const PANEL_STYLE = /\/panel-[^/]*\.css$/;

/** The page of an operation with the button. One more page has it. */
async function open(t: TestContext) {
  const { origin, served } = await serveHandMadeSite(t);
  for (const id of ['listPets', 'createPet']) {
    const path = `/reference/pets/${id}`;
    const file = served.get(path);
    assert.ok(file);
    const data = { method: 'GET', path: '/', title: id, servers: [{ url: origin }] };
    const button = `<button type="button" class="ref-try" hidden>Try it</button>${operationDataScript(data).text}`;
    served.set(path, { ...file, content: String(file.content).replace('</h1>', `</h1>${button}`) });
  }
  const page = await (await startBrowser(t)).newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${origin}/reference/pets/listPets`);
  return {
    page,
    served,
    button: page.locator('.ref-try'),
    dialog: page.locator('dialog.try-dialog'),
    /** Holds the panel back until `goOn` is called. */
    async holdPanel() {
      const isHeld = Promise.withResolvers<void>();
      await page.route(PANEL, async (route) => {
        await isHeld.promise;
        await route.continue();
      });
      return isHeld.resolve;
    },
  };
}

test('a double click opens the panel once, in front of the page', async (t) => {
  const { page, button, dialog, holdPanel } = await open(t);
  const goOn = await holdPanel();
  await button.dblclick();
  goOn();
  await dialog.waitFor();
  await settled(page);
  assert.equal(await dialog.and(page.locator(':modal')).count(), 1);
  assert.equal(await button.textContent(), 'Try it');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('a panel that could not be loaded says so until it is', async (t) => {
  const { served, button, dialog } = await open(t);
  // Taken from the server, not from the browser: a browser whose requests are let go again loses the script that comes
  // at that moment.
  const style = [...served.values()].find(({ path }) => PANEL_STYLE.test(path));
  assert.ok(style);
  served.delete(style.path);
  await button.click();
  await button.getByText('Not loaded. Try again').waitFor();
  served.set(style.path, style);
  await button.click();
  await dialog.waitFor();
  assert.equal(await button.textContent(), 'Try it');
});

test('a panel that comes after its page is left stays closed', async (t) => {
  const { page, button, dialog, holdPanel } = await open(t);
  const goOn = await holdPanel();
  await button.click();
  await page
    .getByRole('link', { name: /Add an animal/ })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: 'Add an animal' }).waitFor();
  const come = page.waitForEvent('requestfinished', (request) => PANEL.test(request.url()));
  goOn();
  await come;
  await settled(page);
  assert.equal(await dialog.count(), 0);
  await button.click();
  await dialog.getByText('createPet').waitFor();
});
