import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser, watch } from '@petstore/test-support/browser.ts';
import { finished } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { bannerOf, start } from './support.ts';

test("after npm start, a reader searches the API's site and tries an operation from there", async (t) => {
  const program = start(t, await temporaryFolder(t));
  const { docs, api, dashboard } = await bannerOf(program);
  const key = /pk_live_\w{38}/.exec(program.output.stdout)?.[0] ?? '';
  const browser = await startBrowser(t);
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const { requests, complaints } = watch(page);
  await page.goto(docs);

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('add an animal');
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/#tag\/pets\/POST\/pets$/);

  await page.getByPlaceholder('Token').first().fill(key);
  await page.locator('section[id$="tag/pets/POST/pets"] .show-api-client-button').click();
  await page.locator('[data-addressbar-action=send]').filter({ visible: true }).click();
  await page
    .locator('.scalar-client--open')
    .getByText(/201 Created/)
    .first()
    .waitFor();
  const list = await fetch(`${api}/pets`, { headers: { authorization: `Bearer ${key}` } });
  assert.match(await list.text(), /"name":"Rex"/, 'the animal is in the store');

  const allowed = [new URL(docs).origin, new URL(api).origin];
  const elsewhere = requests.filter(
    (request) => !allowed.includes(new URL(request.split(' ')[1] ?? '').origin),
  );
  assert.deepEqual(elsewhere, [], 'nothing left for another host');
  assert.deepEqual(complaints, [], 'no script failed, and the policy was kept');

  const [, email = '', password = ''] =
    /Sign in +(\S+) +password (\S+)/.exec(program.output.stdout) ?? [];
  await page.goto(dashboard);
  await page.getByLabel(/mail/i).fill(email);
  await page
    .getByLabel(/password/i)
    .first()
    .fill(password);
  await page.keyboard.press('Enter');
  await page
    .getByRole('link', { name: /Petstore/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Live site' }).waitFor();

  program.child.kill('SIGTERM');
  await finished(program);
});
