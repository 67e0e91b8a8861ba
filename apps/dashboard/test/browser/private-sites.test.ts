import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seriousViolations } from '@petstore/test-support/browser.ts';
import { screenshot, sharedInstallation, withoutRefusals } from '../support/installation.ts';
import { FITS, look, VIEWS } from '../support/look.ts';
import { deploy } from '../support/uploads.ts';

const shared = sharedInstallation();

test('an owner makes a site private, and visitors come in by password and by account', async () => {
  const installation = shared();
  const { origin, site, visitor, member } = installation;
  const owner = await member();
  const { page } = owner;
  await owner.call('POST', '/projects', { name: 'Petstore', slug: 'petstore' });
  await deploy(owner, 'petstore', 'Pets');
  const address = site('petstore');
  const settings = '/projects/petstore/settings/access';

  await page.goto(origin + settings);
  await page.getByRole('radio', { name: 'Everything' }).click();
  await page.getByText('The site and its previews are private.').first().waitFor();
  await page.getByRole('button', { name: 'Set a password' }).click();
  const password = await page.getByRole('textbox', { name: 'Password' }).inputValue();
  assert.match(password, /^([a-z2-9]{5}-){3}[a-z2-9]{5}$/);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('Copy the password now').waitFor();
  await page.getByRole('button', { name: 'I have copied it' }).click();

  const preview = page.frameLocator('iframe');
  await preview.getByRole('heading', { name: 'Petstore' }).waitFor();
  await preview.getByLabel('Password').waitFor();
  await look(page, installation, {
    ...{ name: 'site-access', path: settings, text: 'What a visitor sees' },
    open: () => preview.getByLabel('Password').waitFor(),
  });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 1_900 });
  await preview.getByLabel('Password').waitFor();
  await screenshot(page, 'site-access-preview');
  assert.deepEqual(withoutRefusals(owner.complaints), []);

  // A visitor, on a phone and a desk, without scripts.
  const reader = await visitor();
  await reader.page.goto(`${address}/reference/operations/listPets`);
  for (const view of VIEWS) {
    await reader.page.emulateMedia({ colorScheme: view.colorScheme });
    await reader.page.setViewportSize({ width: view.width, height: 740 });
    assert.ok(await reader.page.evaluate(FITS));
    await screenshot(reader.page, `private-site-${view.name}`);
    assert.deepEqual(await seriousViolations(reader.page, { colorsOnly: false }), [], view.name);
  }
  await reader.page.getByLabel('Password').fill('a wrong one');
  await reader.page.getByRole('button', { name: 'Continue' }).click();
  await reader.page.getByRole('alert').getByText('The password is wrong.').waitFor();
  await screenshot(reader.page, 'private-site-wrong');
  await reader.page.getByLabel('Password').fill(password);
  await reader.page.getByRole('button', { name: 'Continue' }).click();
  await reader.page.waitForURL(`${address}/reference/operations/listPets`);
  await reader.page.getByRole('heading', { name: 'List pets' }).first().waitFor();

  // It can be ended, too.
  await reader.page.goto(`${address}/_access/sign-in`);
  await screenshot(reader.page, 'private-site-signed-in');
  await reader.page.getByRole('button', { name: 'Sign out' }).click();
  await reader.page.getByText('This documentation is private.').waitFor();

  // With an account, through the dashboard, which asks for it first.
  const colleague = await member();
  await colleague.page.goto(`${address}/reference/operations/listPets`);
  await colleague.page.getByRole('link', { name: 'Sign in with your account' }).click();
  await colleague.page.getByText('may not read this site').waitFor();
  await screenshot(colleague.page, 'private-site-stranger');
  await page.goto(origin + settings);
  await page.getByRole('switch', { name: 'Everyone with an account here' }).click();
  await page.getByText('Who may read is changed.').first().waitFor();
  await colleague.page.goto(`${address}/reference/operations/listPets`);
  await colleague.page.getByRole('link', { name: 'Sign in with your account' }).click();
  await colleague.page.waitForURL(`${address}/reference/operations/listPets`);
  await colleague.page.getByRole('heading', { name: 'List pets' }).first().waitFor();
  assert.deepEqual(withoutRefusals(colleague.complaints), []);

  // Nobody is signed in to the dashboard, so it asks first.
  const guest = await visitor();
  await guest.page.goto(`${address}/reference/operations/listPets`);
  await guest.page.getByRole('link', { name: 'Sign in with your account' }).click();
  await guest.page.getByLabel('E-mail').fill(colleague.email);
  await guest.page.getByLabel('Password').fill('correct horse battery');
  await guest.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await guest.page.waitForURL(`${address}/reference/operations/listPets`);
});
