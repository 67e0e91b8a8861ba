import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import type { ChangeException } from '../../server/src/deploys/exceptions/change-exception.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { dialogClosed, dialogOf } from '../support/dialog.ts';
import { sharedInstallation } from '../support/installation.ts';
import { look } from '../support/look.ts';
import { said } from '../support/said.ts';
import { deploy } from '../support/uploads.ts';

const shared = sharedInstallation();

/** Two operations that share a model. */
const DOCUMENT = `openapi: 3.1.0
info: { title: Pets, version: '1' }
paths:
  /pets:
    get:
      responses: { '200': { description: The pets., content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } }
    delete:
      responses: { '204': { description: Gone. } }
  /pets/{petId}:
    get:
      parameters: [{ name: petId, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: A pet., content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } }
components:
  schemas:
    Pet: { type: object, required: [name], properties: { name: { type: string } } }
`;

const BREAKING = DOCUMENT.replace(/ {4}delete:\n.*\n/, '').replace(
  'name: { type: string }',
  'name: { type: integer }',
);

test('an owner allows changes on a page, finds them in the settings, and ends them there', async () => {
  const { origin, member } = shared();
  const owner = await member();
  const { page } = owner;
  await owner.call('POST', '/projects', { name: 'Petstore', slug: 'allowed' });
  await owner.call('PATCH', '/projects/allowed', { holdBreaking: true });
  await deploy(owner, 'allowed', DOCUMENT);
  const second = await deploy(owner, 'allowed', BREAKING);
  assert.equal(second.held?.reason, 'breaking');

  const path = `/projects/allowed/deploys/${second.id}`;
  const dialog = dialogOf(page);
  const typed = page.getByRole('button', { name: 'Allow response-type-changed of GET /pets' });
  const open = () => typed.click();
  await look(page, shared(), { name: 'allow-change', path, text: 'Changes of the API', open });
  const allow = dialog.getByRole('button', { name: 'Allow the change' });
  let sent = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/change-exceptions')) sent++;
  });
  const refused = (label: string) =>
    dialog.getByLabel(label).and(page.locator(':invalid[aria-invalid=true]')).waitFor();
  await allow.click();
  for (const label of ['Reason', 'Until']) await refused(label);
  assert.equal(sent, 0, 'a reason and a day are required');
  await dialog.getByLabel('Where').selectOption({ label: 'These 2 operations' });
  await dialog.getByLabel('Reason').fill('Nobody reads it.');
  await dialog.getByLabel('Until').fill('1999-12-31');
  await allow.click();
  await refused('Until');
  assert.equal(sent, 0, 'the day is over');
  await dialog.getByLabel('Until').fill('2999-12-31');
  await allow.click();
  await said(page, 'The change is allowed until Dec 31, 2999.');
  await dialogClosed(page);
  assert.equal(sent, 2, 'one for each operation');
  await typed.waitFor({ state: 'detached' });
  // One is left.
  await page.getByText('Held back', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Allow operation-removed of DELETE /pets' }).click();
  await dialog.getByLabel('Reason').fill('Nobody calls it.');
  await dialog.getByLabel('Until').fill('2999-12-31');
  await allow.click();
  await dialogClosed(page);
  await page.getByText('Held back', { exact: true }).first().waitFor({ state: 'detached' });
  const rows = page.getByRole('list', { name: 'Changes of the API' }).getByRole('listitem');
  await rows.filter({ hasText: 'Allowed until 2999-12-31: Nobody calls it.' }).waitFor();
  await page
    .getByRole('button', { name: /^Allow / })
    .first()
    .waitFor({ state: 'detached' });

  const settings = '/projects/allowed/settings/allowed-changes';
  await look(page, shared(), { name: 'allowed-changes', path: settings, text: 'Nobody calls it.' });
  const ends = page.getByRole('button', { name: /^End the exception/ });
  const listed = page.getByRole('main').getByRole('listitem').filter({ has: ends });
  assert.equal(await listed.count(), 3);
  await listed.filter({ hasText: 'DELETE /pets' }).getByText(owner.email).waitFor();
  const name = 'End the exception for operation-removed of DELETE /pets';
  await page.getByRole('button', { name }).click();
  await dialog.getByRole('button', { name: 'End' }).click();
  await said(page, 'The change is not allowed any more.');
  await dialogClosed(page);
  await listed.nth(2).waitFor({ state: 'detached' });
  assert.equal(await listed.count(), 2);
  const { items } = await owner.call<Page<ChangeException>>(
    ...(['GET', '/projects/allowed/change-exceptions'] as const),
  );
  assert.deepEqual(
    items.map(({ operation }) => operation),
    ['GET /pets', 'GET /pets/{petId}'],
  );
  const again = await owner.call<Deploy>('GET', `/projects/allowed/deploys/${second.id}`);
  assert.equal(again.held?.reason, 'breaking');

  await page.goto(`${origin}/projects/allowed/settings/audit`);
  const entries = page.getByRole('main').getByRole('listitem');
  await entries.filter({ hasText: /Allowed the change.*reason: Nobody calls it\./ }).waitFor();
  await entries.filter({ hasText: /Stopped allowing the change/ }).waitFor();
  assert.deepEqual(owner.complaints, []);
});
