import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeUntil } from '@petstore/test-support/within.ts';
import { PASSWORD, sharedInstallation } from '../support/installation.ts';
import { said } from '../support/said.ts';

const shared = sharedInstallation();

test('a changed password ends the other sessions, which come back to where they were', async () => {
  const { origin, member, visitor } = shared();
  const here = await member();
  const { email } = here;
  await here.call('POST', '/projects', { name: 'Petstore', slug: 'petstore' });
  const there = await visitor();
  await there.call('POST', '/session', { email, password: PASSWORD });
  await there.page.goto(`${origin}/projects/petstore`);
  await there.page.getByRole('heading', { name: 'Petstore', exact: true }).waitFor();
  // Whatever it asks for has come: the next thing is what its owner asks for.
  await there.page.waitForLoadState('networkidle');

  const { page } = here;
  await page.goto(`${origin}/account/security`);
  await page.getByText('This one').waitFor();
  assert.equal(await page.getByRole('button', { name: 'End the session of' }).count(), 1);
  await page.getByLabel('Current password').fill('not my password');
  await page.getByLabel('New password').fill('an even better one');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('The current password is wrong.').waitFor();
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Change the password' }).click();
  await said(page, 'Your password is changed');
  await page.getByRole('button', { name: 'End the session of' }).waitFor({ state: 'detached' });

  // The next thing that it asks for shows that its session has ended.
  await there.page.getByRole('link', { name: 'Settings', exact: true }).click();
  await there.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await there.page.getByLabel('E-mail address').fill(email);
  await there.page.getByLabel('Password').fill(PASSWORD);
  await there.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await there.page.getByText('The e-mail address or the password is wrong.').waitFor();
  await there.page.getByLabel('Password').fill('an even better one');
  await there.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await there.page.waitForURL(`${origin}/projects/petstore/settings`);
});

test('a changed password says what becomes of API tokens, and ends them where that is wanted', async () => {
  const { origin, member } = shared();
  const { page, call } = await member();
  for (const name of ['Laptop', 'Build server']) await call('POST', '/account/tokens', { name });
  const liveTokens = async () => {
    const { items } = await call<{ items: { revokedAt: string | null }[] }>(
      'GET',
      '/account/tokens',
    );
    return items.filter(({ revokedAt }) => revokedAt === null).length;
  };
  await page.goto(`${origin}/account/security`);
  await page.getByText('API tokens go on working, unless you revoke them.').waitFor();
  const change = async (current: string, next: string) => {
    // It is emptied after a change.
    await timeUntil(async () => (await page.getByLabel('Current password').inputValue()) === '');
    await page.getByLabel('Current password').fill(current);
    await page.getByLabel('New password').fill(next);
    await page.getByRole('button', { name: 'Change the password' }).click();
  };
  await change(PASSWORD, 'an even better one');
  await said(page, 'your other sessions have ended');
  assert.equal(await liveTokens(), 2);
  await page.getByRole('checkbox', { name: 'Revoke my 2 API tokens, too' }).check();
  await change('an even better one', PASSWORD);
  await said(page, 'Your other sessions and your API tokens have ended.');
  await page.getByRole('checkbox').first().waitFor({ state: 'detached' });
  assert.equal(await liveTokens(), 0);
});

test('all other sessions are ended with one button, and this one stays', async () => {
  const { origin, member, visitor } = shared();
  const { email, page } = await member();
  const there = await visitor();
  await there.call('POST', '/session', { email, password: PASSWORD });
  await page.goto(`${origin}/account/security`);
  await page.getByRole('button', { name: 'End all others' }).click();
  await page.getByRole('button', { name: 'End the others' }).click();
  await said(page, 'Your other sessions have ended.');
  await assert.rejects(there.call('GET', '/session'), /401/);
  await page.reload();
  await page.getByText('This one').waitFor();
});

test('signing in leads to pages of the dashboard alone', async () => {
  const { origin, member } = shared();
  const { page } = await member();
  for (const [next, where] of [
    ['/account?x=1', '/account?x=1'],
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example/', '/'],
    ['/..//evil.example/', '/'],
    ['javascript:alert(1)', '/'],
  ] as const) {
    await page.goto(`${origin}/sign-in?next=${encodeURIComponent(next)}`);
    await page
      .getByRole('heading', { level: 1 })
      .getByText(/Profile|Projects/)
      .waitFor();
    assert.equal(page.url(), `${origin}${where}`, next);
  }
});

test('signing out shows nothing of what was seen before, to whoever signs in next', async () => {
  const { origin, member, visitor } = shared();
  const { page, call } = await member();
  await call('POST', '/projects', { name: 'Secret plans', slug: 'secret-plans' });
  await page.goto(origin);
  await page.getByText('Secret plans').waitFor();
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();

  const other = { email: 'grace@example.com', password: PASSWORD };
  await (await visitor()).call('POST', '/sign-up', { ...other, name: 'Grace' });
  await page.getByLabel('E-mail address').fill(other.email);
  await page.getByLabel('Password').fill(other.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Create your first project').waitFor();
  assert.equal(await page.getByText('Secret plans').count(), 0);
});

test('the theme is chosen for the browser, and stays after a reload', async () => {
  const { origin, member } = shared();
  const { page } = await member();
  const background = () =>
    page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${origin}/account`);
  await page.getByRole('heading', { name: 'Profile' }).waitFor();
  const light = await background();
  await page.getByText('Dark', { exact: true }).click();
  await timeUntil(async () => (await background()) !== light);
  const dark = await background();
  await page.reload();
  assert.equal(await background(), dark);
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitemradio', { name: 'System' }).click();
  await timeUntil(async () => (await background()) === light);
});
