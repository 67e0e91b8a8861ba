import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialogClosed, dialogOf } from '../support/dialog.ts';
import { PASSWORD, sharedInstallation } from '../support/installation.ts';
import { said } from '../support/said.ts';
import { deploy } from '../support/uploads.ts';

const shared = sharedInstallation();

test('an invited person creates an account, joins, and sees what a viewer may not do', async () => {
  const { origin, member, visitor } = shared();
  const owner = await member();
  await owner.call('POST', '/projects', { name: 'Petstore', slug: 'petstore' });
  const first = await deploy(owner, 'petstore', 'First');
  await deploy(owner, 'petstore', 'Second');

  await owner.page.goto(`${origin}/projects/petstore/settings/members`);
  await owner.page.getByRole('button', { name: 'Invite' }).click();
  await owner.page.getByLabel('E-mail address').fill('grace@example.com');
  const invite = dialogOf(owner.page);
  await invite.getByText(/^May see the project/).waitFor();
  await invite.getByLabel('Role').selectOption('owner');
  await invite.getByText(/^May do what an editor may, and .*manage members/).waitFor();
  await invite.getByLabel('Role').selectOption('viewer');
  await owner.page.getByRole('button', { name: 'Make the link' }).click();
  const link = await owner.page.getByLabel('invitation link', { exact: true }).innerText();
  await owner.page.getByRole('button', { name: 'Done' }).click();
  await owner.page.getByRole('button', { name: 'Revoke the invitation of grace' }).waitFor();

  await owner.page.goto(link);
  await owner.page.getByText('This invitation is for grace@example.com').waitFor();
  await owner.page.getByRole('button', { name: 'Sign out and use the other account' }).waitFor();

  const { page, call } = await visitor();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Join “Petstore”' }).waitFor();
  assert.equal(await page.getByLabel('E-mail address').inputValue(), 'grace@example.com');
  await page.getByLabel('Name').fill('Grace Hopper');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account and accept' }).click();
  await said(page, 'You have joined “Petstore”.');
  await page.waitForURL(`${origin}/projects/petstore`);
  await page
    .getByText('You are a viewer here. Editors and owners of the project deploy.')
    .waitFor();
  assert.equal(await page.getByRole('button', { name: 'Choose a file' }).count(), 0);
  assert.equal(await page.getByText('Or from a terminal').count(), 0);
  await page.goto(`${origin}/projects/petstore/deploys/${first.id}`);
  await page.getByText('can put deploys live').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Roll back' }).isDisabled(), true);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.waitForURL(`${origin}/projects/petstore/settings/members`);
  const sections = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
  await sections.filter({ hasText: 'Plan' }).waitFor();
  assert.deepEqual(await sections.allInnerTexts(), [
    ...['Access', 'Domains', 'Allowed changes', 'Repository', 'Members', 'Plan'],
  ]);
  for (const [section, reason] of [
    ['/members', 'Only an owner of the project can invite, change and remove members.'],
    ['/tokens', 'Only an owner of the project can see, make and revoke its tokens.'],
    ['/audit', 'Only owners and editors of the project can read its audit log.'],
    ['/danger', 'Only an owner of the project can delete it.'],
    ['/plan', 'The plan is set by the owner of this installation'],
  ]) {
    await page.goto(`${origin}/projects/petstore/settings${section}`);
    await page.getByText(reason ?? '').waitFor();
    const main = page.getByRole('main');
    // The reason is there before the list with its buttons is.
    await main.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    const buttons = main.getByRole('button').and(main.locator(':enabled'));
    assert.deepEqual(await buttons.allInnerTexts(), section === '/members' ? ['Leave'] : []);
  }

  await page.goto(`${origin}/projects/petstore/settings/members`);
  await page.getByRole('button', { name: 'Leave' }).click();
  await dialogOf(page).getByRole('button', { name: 'Leave' }).click();
  await page.getByText('Create your first project').waitFor();
  await assert.rejects(call('GET', '/projects/petstore'), /404/);
});

test('an owner changes a role, and the last owner stays one', async () => {
  const { origin, member, visitor } = shared();
  const owner = await member();
  await owner.call('POST', '/projects', { name: 'Petstore', slug: 'pets' });
  const { link } = await owner.call<{ link: string }>('POST', '/projects/pets/invitations', {
    email: 'grace.h@example.com',
    role: 'viewer',
  });
  const invitation = new URL(link).pathname.split('/').at(-1);
  const grace = await visitor();
  const account = { email: 'grace.h@example.com', password: PASSWORD };
  await grace.call('POST', '/sign-up', { ...account, name: 'Grace', invitation });
  await grace.page.goto(link);
  await grace.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await grace.page.getByLabel('Password').fill(PASSWORD);
  await grace.page.getByRole('button', { name: 'Sign in and accept' }).click();
  await grace.page.waitForURL(`${origin}/projects/pets`);

  const { page } = owner;
  await page.goto(`${origin}/projects/pets/settings/members`);
  const role = page.getByLabel('Role of Ada Lovelace');
  const leave = page.getByRole('button', { name: 'Leave' });
  await page.getByText('You are the only owner').waitFor();
  assert.equal(await role.isDisabled(), true);
  assert.equal(await leave.isDisabled(), true);

  await page.getByLabel('Role of Grace').selectOption('editor');
  const dialog = dialogOf(page);
  await dialog.getByText(/They may then, too: upload deploys, .*read the audit log/).waitFor();
  await dialog.getByRole('button', { name: 'Make an editor' }).click();
  await said(page, 'Grace is now an editor.');
  await dialogClosed(page);
  await grace.page.reload();
  await grace.page.getByRole('button', { name: 'Choose a file' }).waitFor();
  assert.equal(await grace.page.getByRole('button', { name: 'Choose a file' }).isEnabled(), true);

  await page.getByLabel('Role of Grace').selectOption('owner');
  await dialog.getByText(/delete the project/).waitFor();
  await dialog.getByRole('button', { name: 'Make an owner' }).click();
  await page.getByText('You are the only owner').waitFor({ state: 'detached' });
  for (const control of [role, leave]) await control.and(page.locator(':enabled')).waitFor();
});

test('a link that only this computer can open is handed over with a warning', async () => {
  const { origin, member } = shared();
  const { page, call } = await member();
  await call('POST', '/projects', { name: 'Petstore', slug: 'linked' });
  await page.goto(`${origin}/projects/linked/settings/members`);
  let madeOn = '';
  await page.route('**/api/projects/linked/invitations', async (route) => {
    if (route.request().method() !== 'POST' || madeOn === '') return route.fallback();
    const response = await route.fetch();
    const made = await response.json();
    return route.fulfill({ response, json: { ...made, link: made.link.replace(origin, madeOn) } });
  });
  for (const [publicUrl, isWarned] of [
    ['', true],
    ['http://dashboard.localhost:8081', true],
    ['http://[::1]:8081', true],
    ['https://dashboard.example.com', false],
    ['https://127.example.com', false],
  ] as const) {
    madeOn = publicUrl;
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail address').fill(`grace+${publicUrl.length}@example.com`);
    await page.getByRole('button', { name: 'Make the link' }).click();
    const link = await page.getByLabel('invitation link', { exact: true }).innerText();
    assert.ok(link.startsWith(publicUrl), link);
    const warning = page.getByText('Only this computer can open this link.');
    assert.equal(await warning.count(), isWarned ? 1 : 0, link);
    await page.getByRole('button', { name: 'Done' }).click();
    await dialogClosed(page);
    await call('DELETE', `/projects/linked/invitations/${await openInvitation()}`);
  }

  async function openInvitation() {
    const { items } = await call<{ items: { id: string; state: string }[] }>(
      'GET',
      '/projects/linked/invitations',
    );
    return items.find(({ state }) => state === 'open')?.id;
  }
});
