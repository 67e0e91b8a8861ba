import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeUntil } from '@petstore/test-support/within.ts';
import { PASSWORD, sharedInstallation, withoutRefusals } from '../support/installation.ts';
import { titleAt } from '../support/site.ts';
import { openApiFile } from '../support/uploads.ts';

const shared = sharedInstallation();

test('the first visitor creates an account and a project, deploys a document, and sees its site', async () => {
  const { origin, site, visitor } = shared();
  const { page, complaints } = await visitor();
  // With all that moves, as most people have it.
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto(origin);
  await page.getByText('Nobody has an account here yet. The first one owns').waitFor();
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();

  await page.getByText('Create your first project').waitFor();
  await page.getByRole('link', { name: 'New project' }).click();
  await page.getByLabel('Name').fill('Pet Störe');
  await page.getByText(`Your site will be at ${new URL(site('pet-store')).host}`).waitFor();
  assert.equal(await page.getByLabel('Address').inputValue(), 'pet-store');
  await page.getByRole('button', { name: 'Create project' }).click();

  await page.getByRole('heading', { name: 'Deploy your first document' }).waitFor();
  await page.locator('input[type=file]').setInputFiles(openApiFile('Pets'));
  await page.getByRole('heading', { name: 'Deploy #1' }).waitFor();
  const log = page.getByRole('log');
  await log.getByText('The build begins.').waitFor();
  await log.getByText('Succeeded, and live.').waitFor();
  await page.getByRole('status').getByText('Ready').waitFor();

  const [shown] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'Visit site' }).click(),
  ]);
  await shown.getByRole('heading', { name: 'Pets' }).first().waitFor();
  assert.equal(new URL(shown.url()).origin, site('pet-store'));
  assert.equal(await titleAt(site('pet-store')), 'Pets');
  assert.deepEqual(withoutRefusals(complaints), [], 'no script failed, and the policy was kept');
});

test('the console of a visitor who is not signed in has no error', async () => {
  const { origin, visitor } = shared();
  const { page, complaints } = await visitor();
  await page.goto(`${origin}/sign-in`);
  await page.getByLabel('E-mail address').waitFor();
  await page.waitForLoadState('networkidle');
  assert.deepEqual(complaints, []);
});

test('a keyboard alone is enough to sign in and to create a project', async () => {
  const { origin, member, visitor } = shared();
  const { email } = await member();
  const { page } = await visitor();
  await page.goto(`${origin}/new`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const { keyboard } = page;
  // The first field has the focus by itself, as soon as the page has drawn it.
  await page.locator('input:focus').waitFor();
  await keyboard.type(email);
  await keyboard.press('Tab');
  await keyboard.type(PASSWORD);
  await keyboard.press('Enter');

  await page.getByRole('heading', { name: 'New project' }).waitFor();
  await page.locator('input:focus').waitFor();
  await keyboard.type('Petstore');
  await keyboard.press('Tab');
  await keyboard.press('Tab');
  await keyboard.press('Tab');
  assert.equal(await page.locator(':focus').innerText(), 'Create project');
  await keyboard.press('Enter');
  await page.waitForURL(`${origin}/projects/petstore`);

  // Reloaded, the first thing that Tab reaches leads past the navigation.
  await page.reload();
  await page.getByRole('button', { name: 'Choose a file' }).waitFor();
  await keyboard.press('Tab');
  assert.equal(await page.locator(':focus').innerText(), 'Skip to the content');
  await keyboard.press('Enter');
  await page.locator('#main:focus').waitFor();
  await keyboard.press('Tab');
  // A message is said before the file, whose choice sends both.
  assert.equal(await page.locator(':focus').getAttribute('name'), 'message');
  await keyboard.press('Tab');
  assert.equal(await page.locator(':focus').innerText(), 'Choose a file');
});

test('another page begins at its top with the focus on its content, and Back leads to where one was', async () => {
  const { origin, member } = shared();
  const { page, call } = await member();
  await call('POST', '/projects', { name: 'Petstore', slug: 'scrolled' });
  await page.setViewportSize({ width: 1280, height: 400 });
  await page.goto(`${origin}/projects/scrolled`);
  const allDeploys = page.getByRole('link', { name: 'All deploys' });
  // What comes later moves what is below it, and the page's position with it.
  await allDeploys.waitFor();
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
  const scrolled = () => page.evaluate('scrollY');
  const hasFocus = () => page.locator('#main:focus').waitFor();
  await allDeploys.scrollIntoViewIfNeeded();
  const before = await scrolled();
  assert.ok(Number(before) > 0);

  await allDeploys.click();
  await page.getByRole('heading', { name: 'Deploys', level: 1 }).waitFor();
  await hasFocus();
  await timeUntil(async () => (await scrolled()) === 0);

  await page.getByRole('main').getByRole('heading', { level: 1 }).click();
  await page.goBack();
  await allDeploys.waitFor();
  await hasFocus();
  await timeUntil(async () => (await scrolled()) === before);
});

test('a password can be looked at before it is sent', async () => {
  const { origin, visitor } = shared();
  const { page } = await visitor();
  await page.goto(`${origin}/sign-up`);
  const password = page.getByLabel('Password');
  await password.fill('short');
  assert.equal(await password.getAttribute('type'), 'password');
  await page.getByRole('button', { name: 'Show the password' }).click();
  assert.equal(await password.getAttribute('type'), 'text');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('At least 10 characters; this has 5.').waitFor();
  assert.equal(await page.getByText('At least 10 characters.').isVisible(), false);
});

test('what the server refuses stands at its field', async () => {
  const { origin, member } = shared();
  const { page, call } = await member();
  await call('POST', '/projects', { name: 'Taken', slug: 'taken' });
  await page.goto(`${origin}/new`);
  await page.getByLabel('Name').fill('Some name');
  const address = page.getByLabel('Address');
  for (const [slug, problem] of [
    ['admin', /reserved/],
    ['taken', /is taken/],
    ['two--dashes', /single dashes/],
  ] as const) {
    await address.fill(slug);
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.getByText(problem).waitFor();
    assert.equal(await page.getByText('Your site will be at').count(), 0, slug);
    assert.equal(await address.getAttribute('aria-invalid'), 'true', slug);
    assert.match(await describedBy(address), problem);
  }

  /** What a screen reader reads out with a field. */
  async function describedBy(field: typeof address): Promise<string> {
    const ids = (await field.getAttribute('aria-describedby')) ?? '';
    const texts = ids.split(' ').map((id) => page.locator(`[id="${id}"]`).innerText());
    return (await Promise.all(texts)).join(' ');
  }
});
