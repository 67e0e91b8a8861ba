import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, sharedInstallation } from '../support/installation.ts';
import { deploy } from '../support/uploads.ts';

const shared = sharedInstallation();

test('an invited person makes an account, joins, and sees what a viewer may not do', async () => {
  const { origin, member, visitor } = shared();
  const owner = await member();
  await owner.call('POST', '/projects', { name: 'Petstore', slug: 'petstore' });
  const first = await deploy(owner, 'petstore', 'First');
  await deploy(owner, 'petstore', 'Second');

  await owner.page.goto(`${origin}/projects/petstore/settings/members`);
  await owner.page.getByRole('button', { name: 'Invite' }).click();
  await owner.page.getByLabel('E-mail address').fill('grace@example.com');
  await owner.page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
  await owner.page.getByRole('button', { name: 'Make the link' }).click();
  const link = await owner.page.getByLabel('invitation link', { exact: true }).inputValue();
  await owner.page.getByRole('button', { name: 'Done' }).click();
  await owner.page.getByRole('button', { name: 'Revoke the invitation of grace' }).waitFor();

  await owner.page.goto(link);
  await owner.page.getByText('This invitation is for grace@example.com').waitFor();
  await owner.page.getByRole('button', { name: 'Sign out and use the other account' }).waitFor();

  const { page, call } = await visitor();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Join Petstore' }).waitFor();
  assert.equal(await page.getByLabel('E-mail address').inputValue(), 'grace@example.com');
  await page.getByLabel('Name').fill('Grace Hopper');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account and accept' }).click();
  await page.waitForURL(`${origin}/projects/petstore`);

  await page
    .getByText('You are a viewer here. Owners and editors of the project can deploy.')
    .waitFor();
  assert.equal(await page.getByRole('button', { name: 'Choose a file' }).isDisabled(), true);
  await page.goto(`${origin}/projects/petstore/deploys/${first.id}`);
  await page.getByText('can put deploys live').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Roll back' }).isDisabled(), true);
  for (const [section, reason] of [
    ['', 'Only an owner of the project can change this.'],
    ['/members', 'Only an owner of the project can invite, change and remove members.'],
    ['/tokens', 'Only an owner of the project can see, make and revoke its tokens.'],
    ['/audit', 'Only owners and editors of the project can read its audit log.'],
    ['/danger', 'Only an owner of the project can delete it.'],
    ['/plan', 'The plan is set by the owner of this installation'],
  ]) {
    await page.goto(`${origin}/projects/petstore/settings${section}`);
    await page.getByText(reason ?? '').waitFor();
    const main = page.getByRole('main');
    const buttons = main.getByRole('button').and(main.locator(':enabled'));
    assert.deepEqual(await buttons.allInnerTexts(), section === '/members' ? ['Leave'] : []);
  }

  await page.goto(`${origin}/projects/petstore/settings/members`);
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
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
  await grace.page.getByRole('button', { name: 'Sign in' }).click();
  await grace.page.getByLabel('Password').fill(PASSWORD);
  await grace.page.getByRole('button', { name: 'Sign in and accept' }).click();
  await grace.page.waitForURL(`${origin}/projects/pets`);

  const { page } = owner;
  await page.goto(`${origin}/projects/pets/settings/members`);
  await page.getByLabel('Role of Grace').selectOption('editor');
  await page.getByText('Grace is editor now.').first().waitFor();
  await grace.page.reload();
  await grace.page.getByRole('button', { name: 'Choose a file' }).waitFor();
  assert.equal(await grace.page.getByRole('button', { name: 'Choose a file' }).isEnabled(), true);

  await page.getByLabel('Role of Ada Lovelace').selectOption('viewer');
  await page.getByText('A project needs an owner.').first().waitFor();
  const role = page.getByLabel('Role of Ada Lovelace');
  await role.and(page.locator(':enabled')).waitFor();
  assert.equal(await role.inputValue(), 'owner');
});
