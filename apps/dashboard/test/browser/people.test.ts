import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialogOf } from '../support/dialog.ts';
import {
  PASSWORD,
  screenshot,
  sharedInstallation,
  withoutRefusals,
} from '../support/installation.ts';
import { said } from '../support/said.ts';

const shared = sharedInstallation();

test('the owner finds someone, hands over a link, disables, enables and removes the account', async () => {
  const { origin, member, visitor } = shared();
  const root = await member();
  const signUp = async (email: string, name: string) => {
    const someone = await visitor();
    await someone.call('POST', '/sign-up', { email, password: PASSWORD, name });
    await someone.call('POST', '/session', { email, password: PASSWORD });
    return someone;
  };
  const grace = await signUp('grace@example.com', 'Grace Hopper');
  await signUp('ken@example.com', 'Ken Thompson');
  await grace.call('POST', '/projects', { name: 'Petstore', slug: 'petstore' });
  await grace.call('POST', '/projects', { name: 'Weather service', slug: 'weather' });
  for (const [email, name, role] of [
    ['barbara@example.com', 'Barbara Liskov', 'viewer'],
    ['dana@example.com', 'Dana Scott', 'editor'],
  ] as const) {
    const invited = { email, role };
    const made = await grace.call<{ link: string }>(
      ...(['POST', '/projects/petstore/invitations', invited] as const),
    );
    const someone = await signUp(email, name);
    await someone.call('POST', `${new URL(made.link).pathname}/accept`);
  }
  const made = { name: 'CI of pets', project: 'petstore' };
  const { token } = await grace.call<{ token: string }>('POST', '/account/tokens', made);
  const used = { headers: { authorization: `Bearer ${token}` } };
  assert.equal((await fetch(`${origin}/api/projects/petstore`, used)).status, 200);

  const { page } = root;
  await page.goto(origin);
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Installation' }).click();
  await page.getByRole('link', { name: 'Ken Thompson' }).waitFor();
  await page.getByLabel('Search', { exact: true }).fill('hopp');
  await page.getByRole('link', { name: 'Ken Thompson' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Grace Hopper' }).click();
  await page.getByText('Only owner').first().waitFor();

  // A link to set a password, which she uses herself.
  const dialog = dialogOf(page);
  await page.getByRole('button', { name: 'Make a link' }).click();
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  const link = await page.getByLabel('password link', { exact: true }).innerText();
  await page.getByRole('button', { name: 'Done' }).click();
  await grace.page.goto(link);
  assert.equal(await grace.page.getByLabel('E-mail address').inputValue(), 'grace@example.com');
  await grace.page.getByLabel('New password').fill('another horse battery');
  await grace.page.getByRole('button', { name: 'Set the password' }).click();
  await grace.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await grace.page.getByLabel('E-mail address').fill('grace@example.com');
  await grace.page.getByRole('textbox', { name: 'Password' }).fill('another horse battery');
  await grace.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await grace.page
    .getByRole('link', { name: /Petstore/ })
    .first()
    .waitFor();

  await page.getByRole('button', { name: 'Disable' }).click();
  await dialog.getByText('No owner of petstore, weather can sign in then.').waitFor();
  await dialog.getByText('CI of pets').waitFor();
  await dialog.getByRole('button', { name: 'Disable the account' }).click();
  await page.getByText('Disabled', { exact: true }).waitFor();
  await grace.page.reload();
  await grace.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByRole('button', { name: 'Enable' }).click();
  await dialog.getByRole('button', { name: 'Enable the account' }).click();
  await page.getByRole('button', { name: 'Disable' }).waitFor();

  await page.setViewportSize({ width: 1100, height: 760 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.reload();
  await page.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByText('CI of pets').waitFor();
  const heir = dialog.getByLabel('Who takes over “Petstore”?');
  await heir.waitFor();
  const heirs = (await heir.locator('option').allInnerTexts()).map((text) => text.split(',')[0]);
  assert.deepEqual(heirs, ['Dana Scott', 'Ada Lovelace', 'Barbara Liskov'], 'who may most, first');
  const other = dialog.getByLabel('Who takes over “Weather service”?');
  await other.waitFor();
  assert.match((await other.locator('option').allInnerTexts()).join(), /^Ada Lovelace, ada-/);
  // In the manual: docs/pictures/remove-person.png.
  await screenshot(page, 'remove-person', { fullPage: false });
  await heir.selectOption({ label: 'Ada Lovelace, ada-1@example.com' });
  await dialog.getByRole('button', { name: 'Remove the account' }).click();
  await said(page, 'Grace Hopper is removed.');
  await page.waitForURL(`${origin}/installation/people`);
  await page.getByRole('link', { name: 'Ken Thompson' }).waitFor();
  // The list is shown as it was, until it is asked for again.
  await page.getByRole('link', { name: 'Grace Hopper' }).waitFor({ state: 'detached' });
  await page.goto(`${origin}/projects/petstore/settings/audit`);
  await page.getByText('Handed the project to').waitFor();
  await page.getByText('grace@example.com').first().waitFor();
  assert.deepEqual(withoutRefusals(root.complaints), []);
});

test('people change their own address, by their password where there is no mail', async () => {
  const { origin, member } = shared();
  const { page, email } = await member();
  await page.goto(`${origin}/account`);
  await page.getByText('This installation sends no mail').waitFor();
  const form = page.getByLabel('New address');
  await form.fill('new-address@example.com');
  await page.getByLabel('Your password').fill('not my password');
  await page.getByRole('button', { name: 'Change the address' }).click();
  await page.getByText('The current password is wrong.').waitFor();
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Change the address' }).click();
  await page.getByText('new-address@example.com, here since').waitFor();
  await page.getByText(email).first().waitFor({ state: 'detached' });
});
