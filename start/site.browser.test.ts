import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser, watch } from '@petstore/test-support/browser.ts';
import { finished } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { bannerOf, start } from './support.ts';

test("after npm start, a reader searches the API's site and tries an operation from there", async (t) => {
  const program = await start(t, await temporaryFolder(t));
  const { docs, api, dashboard } = await bannerOf(program);
  const key = /pk_live_\w{38}/.exec(program.output.stdout)?.[0] ?? '';
  const browser = await startBrowser(t);
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const { requests, complaints } = watch(page);
  await page.goto(docs);

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search the documentation' }).fill('add an animal');
  await page.locator('.search-result').first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/reference\/pets\/createPet$/);

  await page.getByRole('button', { name: 'Try it' }).click();
  const panel = page.getByRole('dialog', { name: 'Add an animal' });
  // Without a key, in a store of the reader's own.
  await panel.getByRole('button', { name: 'Get a sandbox' }).click();
  await panel.getByText(/^Your sandbox ends/).waitFor();
  await panel.getByRole('button', { name: 'Send' }).click();
  await panel.getByText(/"id": 51/).waitFor();
  await panel.getByLabel(/^apiKey/).fill(key);
  await panel.getByRole('button', { name: 'Send' }).click();
  await panel.getByText(/201 Created/).waitFor();
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
  // The address is nobody's, and the password stands on the terminal.
  await page.getByRole('heading', { name: 'Make this account yours' }).waitFor();
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Save and go on' }).click();
  await page
    .getByRole('link', { name: /Petstore/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Live site' }).waitFor();

  program.child.kill('SIGTERM');
  await finished(program);
});
