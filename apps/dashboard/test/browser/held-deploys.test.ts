import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import { dialogOf } from '../support/dialog.ts';
import { sharedInstallation } from '../support/installation.ts';
import { look, VIEWS } from '../support/look.ts';
import { said } from '../support/said.ts';
import { titleAt } from '../support/site.ts';
import { deploy } from '../support/uploads.ts';

const shared = sharedInstallation();

const DOCUMENT = `openapi: 3.1.0
info: { title: Pets one, version: '1' }
tags: [{ name: pets }]
paths:
  /pets:
    get:
      operationId: listPets
      tags: [pets]
      responses:
        '200':
          description: The pets.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Pet' }
    delete:
      operationId: deletePets
      tags: [pets]
      responses: { '204': { description: Gone. } }
components:
  schemas:
    Pet:
      type: object
      required: [name]
      properties:
        name: { type: string }
        status: { enum: [open, sold] }
`;

const BREAKING = DOCUMENT.replace('Pets one', 'Pets two')
  .replace(/ {4}delete:[\s\S]*?(?=components:)/, '')
  .replace('name: { type: string }', 'name: { type: integer }')
  .replace('[open, sold]', '[open, sold, hidden]');

test('what a deploy breaks is listed beside what was, and waits until an owner says why it may', async () => {
  const { origin, member, site } = shared();
  const owner = await member();
  const { page } = owner;
  await owner.call('POST', '/projects', { name: 'Petstore', slug: 'held' });
  const first = await deploy(owner, 'held', DOCUMENT);

  await page.goto(`${origin}/projects/held/settings`);
  await page.getByRole('switch', { name: 'Hold breaking deploys back' }).click();
  await said(page, 'Holding back is on.');
  const second = await deploy(owner, 'held', BREAKING);
  assert.deepEqual([second.live, second.held?.reason], [false, 'breaking']);
  assert.equal(await titleAt(site('held')), 'Pets one');

  await page.goto(`${origin}/projects/held`);
  await page.getByRole('link', { name: 'Deploy #2 is held back' }).click();
  await page.waitForURL(`${origin}/projects/held/deploys/${second.id}`);
  await page.getByRole('heading', { name: 'Changes of the API' }).waitFor();
  const rows = page.getByRole('list', { name: 'Changes of the API' }).getByRole('listitem');
  await rows.first().getByText('DELETE /pets', { exact: true }).first().waitFor();
  await timeUntil(async () => (await rows.count()) === 4);
  const typed = rows.filter({ hasText: 'response-type-changed' });
  await typed.locator('pre', { hasText: 'string' }).waitFor();
  await typed.locator('pre', { hasText: 'integer' }).waitFor();
  const links = typed.getByRole('link', { name: /^Open page/ });
  assert.deepEqual(
    [await links.first().getAttribute('href'), await links.last().getAttribute('href')],
    [`${first.url}/reference/pets/listPets`, `${second.url}/reference/pets/listPets`],
  );
  const place = {
    ...{ name: 'held-deploy', path: `/projects/held/deploys/${second.id}` },
    text: 'Changes of the API',
  };
  await look(page, shared(), place);

  await page.getByRole('button', { name: 'Risky 1' }).click();
  await timeUntil(async () => (await rows.count()) === 1);
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await page.getByRole('searchbox', { name: 'Filter by operation' }).fill('delete');
  await timeUntil(async () => (await rows.count()) === 1);
  await page.getByRole('searchbox', { name: 'Filter by operation' }).fill('PATCH');
  await page.getByText('No matching changes.').waitFor();

  const dialog = dialogOf(page);
  const question = {
    ...{ ...place, name: 'held-deploy-question' },
    open: () => page.getByRole('button', { name: 'Make live' }).click(),
  };
  await look(page, shared(), question, VIEWS.slice(2), true);
  assert.ok(await dialog.getByRole('button', { name: 'Make live' }).isDisabled());
  await dialog.getByLabel('Reason').fill('Agreed with all who use it.');
  await dialog.getByRole('button', { name: 'Make live' }).click();
  await said(page, 'Deploy #2 is live.');
  assert.equal(await titleAt(site('held')), 'Pets two');
  await page.getByText('Held back', { exact: true }).first().waitFor({ state: 'detached' });
  const { held } = await owner.call<Deploy>('GET', `/projects/held/deploys/${second.id}`);
  assert.equal(held, null);

  await page.goto(`${origin}/projects/held/settings/audit`);
  const entries = page.getByRole('main').getByRole('listitem');
  await entries
    .filter({ hasText: /was held back · 2 breaking changes · may break: “Agreed with all/ })
    .waitFor();
  assert.deepEqual(owner.complaints, []);
});
