import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CreatedScimToken } from '../../server/src/scim/token.ts';
import { dialogOf } from '../support/dialog.ts';
import { sharedInstallation, withoutRefusals } from '../support/installation.ts';
import { look, VIEWS } from '../support/look.ts';

const shared = sharedInstallation();

test('a group is made and filled by hand, gets a role in a project, and a directory is connected', async () => {
  const { origin, member } = shared();
  const owner = await member();
  const { page, call, complaints } = owner;
  const ann = await member();
  await call('POST', '/projects', { name: 'Petstore', slug: 'pets' });

  await page.goto(`${origin}/installation/groups`);
  await page.getByText('No directory is connected.').waitFor();
  await page.getByRole('button', { name: 'New group' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Engineering');
  await page.getByRole('button', { name: 'Make the group' }).click();
  await page.getByRole('heading', { name: 'Engineering' }).waitFor();
  await page.getByRole('button', { name: 'Add someone' }).click();
  await page.getByLabel('E-mail address').fill(ann.email);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText(ann.email).waitFor();
  const group = new URL(page.url()).pathname;

  const members = '/projects/pets/settings/members';
  const views = [VIEWS[0], VIEWS[3]];
  const chooseGroup = async () => {
    await page.getByRole('button', { name: 'Give a group a role' }).click();
    await dialogOf(page).getByLabel('Group').waitFor();
  };
  const noRole = 'No group has a role here.';
  const dialog = { name: 'group-role', path: members, text: noRole, open: chooseGroup };
  await look(page, shared(), dialog, views);
  await dialogOf(page).getByLabel('Role').selectOption('editor');
  await page.getByRole('button', { name: 'Give the role' }).click();
  await page.getByText('Editor through Engineering').waitFor();
  await ann.page.goto(`${origin}/projects/pets`);
  await ann.page.getByRole('heading', { level: 1 }).first().waitFor();

  const connect = async () => {
    await page.getByRole('button', { name: 'Connect a directory' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Entra ID');
    await page.getByRole('button', { name: 'Make the token' }).click();
    await page.getByText('is shown this once').waitFor();
  };
  const groups = '/installation/groups';
  const none = 'No directory is connected.';
  await look(
    page,
    shared(),
    { name: 'provisioning-token', path: groups, text: none, open: connect },
    views,
  );
  const token = await page.getByLabel('token', { exact: true }).innerText();
  const url = await page.getByLabel('base URL', { exact: true }).innerText();
  await page.getByRole('button', { name: 'I have copied them' }).click();
  await page.getByText('never used').waitFor();
  const sent = await fetch(`${url.trim()}/Groups`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify({ displayName: 'Support', members: [] }),
  });
  assert.equal(sent.status, 201);
  const { id } = (await sent.json()) as { id: string };

  await look(page, shared(), { name: 'groups', path: '/installation/groups', text: 'Support' });
  await look(page, shared(), { name: 'group', path: group, text: 'by hand' });
  const pushed = `/installation/groups/${id}`;
  await look(
    page,
    shared(),
    { name: 'group-directory', path: pushed, text: 'comes from your directory' },
    views,
  );
  assert.equal(await page.getByRole('button', { name: 'Rename' }).count(), 0);
  await look(page, shared(), {
    name: 'members-groups',
    path: members,
    text: 'Editor through Engineering',
  });

  const tokens = await call<{ items: CreatedScimToken[] }>('GET', '/installation/scim-tokens');
  assert.equal(tokens.items.length, 1);
  await page.goto(`${origin}/installation/groups`);
  await page.getByRole('button', { name: 'Revoke Entra ID' }).click();
  await dialogOf(page).getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No directory is connected.').waitFor();
  assert.deepEqual(withoutRefusals(complaints), []);
});
