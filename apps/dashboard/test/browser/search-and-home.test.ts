import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from '@petstore/test-support/browser.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import {
  screenshot,
  sharedInstallation,
  type Visitor,
  withoutRefusals,
} from '../support/installation.ts';
import { FITS, look } from '../support/look.ts';
import { openApiFile } from '../support/uploads.ts';

const shared = sharedInstallation();

/** A project with a site. */
async function projectWithSite({ call }: Visitor, slug: string, name: string): Promise<void> {
  await call('POST', '/projects', { name, slug });
}

test('Ctrl+K finds projects, deploys and pages by keyboard, and begins what there is to do', async () => {
  const { origin, member } = shared();
  const ada = await member();
  const { page, complaints } = ada;
  await projectWithSite(ada, 'pets', 'Pets and more');
  await projectWithSite(ada, 'boats', 'Boats');

  // A deploy says what it is about.
  await page.goto(`${origin}/projects/pets`);
  await page.getByLabel('Message (optional)').fill('Birthdays for all pets');
  await page.locator('input[type=file]').setInputFiles(openApiFile('Pets'));
  await page.getByRole('heading', { name: 'Deploy #1' }).waitFor();
  await page.getByText('Birthdays for all pets').waitFor();
  await page.getByRole('status').getByText('Ready').waitFor();
  await page.goto(`${origin}/projects/pets/deploys`);
  const row = page.getByRole('listitem').filter({ hasText: '#1' });
  await row.getByText('Birthdays for all pets').waitFor();
  await row.getByText('Ada Lovelace').waitFor();
  await screenshot(page, 'work-deploys');

  await page.goto(origin);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  const box = page.getByRole('combobox', { name: 'Search projects, deploys' });
  await box.and(page.locator(':focus')).waitFor();
  // Without letters: what was looked at last.
  await page
    .getByRole('option', { name: /^(Deploy #1|Deploys) · Pets and more$/ })
    .first()
    .waitFor();
  await screenshot(page, 'work-palette-recent');

  await page.keyboard.type('birthd');
  const option = page.getByRole('option', { name: '#1 Birthdays for all pets' });
  await option.waitFor();
  // The highlighted option is the one that a screen reader is told of.
  const highlighted = page.locator('[role=option][data-highlighted]');
  await highlighted.filter({ hasText: 'Birthdays for all pets' }).waitFor();
  const active = await box.getAttribute('aria-activedescendant');
  assert.ok(active, 'an option is active');
  assert.match(await page.locator(`[id="${active}"]`).innerText(), /Birthdays for all pets/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/projects\/pets\/deploys\/[a-z2-7]{12}$/);
  await box.waitFor({ state: 'detached' });

  // A page of the project at hand, with arrows.
  await page.keyboard.press('Control+k');
  await box.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('domain');
  await highlighted.filter({ hasText: /^Add domain/ }).waitFor();
  await page.getByRole('option', { name: /^Domains/ }).waitFor();
  // All that is found has come.
  await page.getByText(/^\d+ results$/).waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowDown');
  await highlighted.filter({ hasText: /^Domains/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${origin}/projects/pets/settings/domains`);

  // Nothing, an attack, and the way out.
  await page.keyboard.press('Control+k');
  await box.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('<img src=x onerror=alert(1)>%');
  await page.getByText('Nothing was found for').waitFor();
  await page.keyboard.press('Escape');
  await box.waitFor({ state: 'detached' });
  assert.deepEqual(withoutRefusals(complaints), []);
});

test('Enter in the palette opens nothing that only former letters found', async () => {
  const { origin, member } = shared();
  const ada = await member();
  const { page } = ada;
  await projectWithSite(ada, 'trees', 'Trees');
  await projectWithSite(ada, 'stones', 'Stones');
  await page.goto(origin);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  const box = page.getByRole('combobox', { name: 'Search projects, deploys' });
  await box.fill('trees');
  await page.getByRole('option', { name: /^Trees/ }).waitFor();
  const isAsked = Promise.withResolvers<void>();
  const isPressed = Promise.withResolvers<void>();
  await page.route('**/api/search?*', async (route) => {
    isAsked.resolve();
    await isPressed.promise;
    await route.continue();
  });
  await box.fill('stones');
  await isAsked.promise;
  await page.keyboard.press('Enter');
  await settled(page);
  assert.equal(page.url(), `${origin}/`);
  isPressed.resolve();
  await page.getByRole('option', { name: /^Stones/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${origin}/projects/stones`);
});

test('what is typed for one project is gone when the palette has led to another', async () => {
  const { origin, member } = shared();
  const ada = await member();
  const { page } = ada;
  await projectWithSite(ada, 'north', 'North');
  await projectWithSite(ada, 'south', 'South');
  const message = page.getByLabel('Message (optional)');
  const goTo = async (name: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search projects, deploys' }).fill(name);
    await page.getByRole('option', { name: `${name} ${name.toLowerCase()}` }).click();
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await message.waitFor();
  };
  await page.goto(`${origin}/projects/south`);
  await message.waitFor();
  await goTo('North');
  await message.fill('For the north alone');
  // It is shown at once: the page was there before.
  await goTo('South');
  assert.equal(await message.inputValue(), '');
});

test('on a phone the search is a button in the header, and the palette fits', async () => {
  const { origin, member } = shared();
  const ada = await member();
  const { page } = ada;
  await projectWithSite(ada, 'phones', 'Phones with a long name that does not fit in one line');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${origin}/projects/phones`);
  await page.getByRole('button', { name: 'Search' }).click();
  const box = page.getByRole('combobox');
  await box.fill('phone');
  await page
    .getByRole('option', { name: /^Phones with/ })
    .first()
    .waitFor();
  assert.ok(await page.evaluate(FITS));
  await screenshot(page, 'work-palette-phone');
  await page
    .getByRole('option', { name: /^Phones with/ })
    .first()
    .click();
  await page.waitForURL(`${origin}/projects/phones`);
  await box.waitFor({ state: 'detached' });
});

test('the palette can be used by all, in both themes', async () => {
  const installation = shared();
  const ada = await installation.member();
  await projectWithSite(ada, 'themes', 'Themes');
  await look(ada.page, installation, {
    name: 'work-palette',
    path: '/projects/themes',
    text: 'Deploy your first document',
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('them');
      await page
        .getByRole('option', { name: /^Themes/ })
        .first()
        .waitFor();
    },
  });
});

test('the home page tells what happened, and its first steps tick themselves off and go away', async () => {
  const { origin, member } = shared();
  const ada = await member();
  const { page, call, complaints } = ada;
  await page.goto(origin);
  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.getByText(/^0 of \d done$/).waitFor();
  await page.getByText('Create your first project').waitFor();
  await screenshot(page, 'work-home-empty');
  await projectWithSite(ada, 'homes', 'Homes');
  await call('POST', '/projects/homes/invitations', { email: 'bob@example.com', role: 'editor' });
  await page.reload();
  await steps.getByText(/^2 of \d done$/).waitFor();
  const activity = page.getByRole('region', { name: 'Activity' });
  await activity.getByText('Invited').waitFor();
  await activity.getByText('Created the project').waitFor();
  await screenshot(page, 'work-home');
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok(await page.evaluate(FITS));
  await screenshot(page, 'work-home-phone');
  await page.setViewportSize({ width: 1280, height: 860 });

  // The next step leads to where it is done.
  await steps.getByRole('link', { name: 'Deploy' }).click();
  await page.locator('input[type=file]').setInputFiles(openApiFile('Homes'));
  await page.getByRole('status').getByText('Ready').waitFor();
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
  await activity.getByText('Uploaded deploy').waitFor();
  await activity.getByRole('link', { name: '#1' }).first().waitFor();
  // On the plan of the project there are no domains, so that all is done.
  await steps.waitFor({ state: 'detached' });

  // Put away, the list stays away.
  const { page: another, call: callOfAnother } = await member();
  await another.goto(origin);
  const listed = another.getByRole('region', { name: 'First steps' });
  await listed.getByText(/^0 of 3 done$/).waitFor();
  // The page does not wait for the answer.
  const put = another.waitForResponse((response) => response.request().method() === 'DELETE');
  await listed.getByRole('button', { name: 'Hide' }).click();
  await listed.waitFor({ state: 'detached' });
  await put;
  const { shown } = await callOfAnother<{ shown: boolean }>('GET', '/account/first-steps');
  assert.equal(shown, false);
  assert.deepEqual(withoutRefusals(complaints), []);
});

test('first steps that are put away stay away, whatever was asked for before and arrives after', async () => {
  const { origin, member } = shared();
  const { page, complaints } = await member();
  await page.goto(origin);
  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.waitFor();
  const isAsked = Promise.withResolvers<void>();
  const isPutAway = Promise.withResolvers<void>();
  let arrived = 0;
  await page.route('**/api/account/first-steps', async (route) => {
    const response = await route.fetch();
    if (route.request().method() === 'GET') {
      isAsked.resolve();
      await isPutAway.promise;
      arrived++;
    }
    await route.fulfill({ response });
  });
  // Whoever comes back to the page has it look for what is new.
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
  await isAsked.promise;
  const put = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await steps.getByRole('button', { name: 'Hide' }).click();
  await steps.waitFor({ state: 'detached' });
  await put;
  isPutAway.resolve();
  await timeUntil(async () => arrived > 0);
  await page.unrouteAll({ behavior: 'wait' });
  await settled(page);
  assert.equal(await steps.count(), 0);
  assert.deepEqual(withoutRefusals(complaints), []);
});

test('the audit log is narrowed on its page, and taken along', async () => {
  const { origin, member } = shared();
  const ada = await member();
  const { page, call, complaints } = ada;
  await projectWithSite(ada, 'logs', 'Logs');
  await call('POST', '/projects/logs/invitations', { email: 'bob@example.com', role: 'editor' });
  await page.goto(`${origin}/projects/logs/settings/audit`);
  const rows = page.getByRole('main').getByRole('listitem').filter({ hasText: 'ada-' });
  await rows.filter({ hasText: 'Created the project' }).waitFor();
  const form = page.getByRole('form', { name: 'Filter the log' });
  const hasAction = (action: string) =>
    timeUntil(async () => (await form.getByLabel('Action').inputValue()) === action);
  await form.getByLabel('Action').selectOption('invitation');
  await rows.filter({ hasText: 'Created the project' }).waitFor({ state: 'detached' });
  await rows.filter({ hasText: 'Invited' }).waitFor();
  await screenshot(page, 'work-audit');

  // The address has it: for Back, and for others.
  await page.waitForURL('**/settings/audit?action=invitation');
  await page.goBack();
  await rows.filter({ hasText: 'Created the project' }).waitFor();
  await hasAction('');
  await page.goForward();
  await rows.filter({ hasText: 'Created the project' }).waitFor({ state: 'detached' });
  await hasAction('invitation');
  await form.getByLabel('Target').fill('12');
  await page.keyboard.press('Enter');
  await page.getByText('No matching entries').waitFor();
  await page.reload();
  await page.getByText('No matching entries').waitFor();
  // A text, and not a number.
  await timeUntil(async () => (await form.getByLabel('Target').inputValue()) === '12');
  await page.goBack();
  await rows.filter({ hasText: 'Invited' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    form.getByRole('link', { name: 'Download as CSV' }).click(),
  ]);
  assert.match(download.suggestedFilename(), /^logs-audit-\d{4}-\d\d-\d\d\.csv$/);
  await form.getByLabel('Who').fill('nobody@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('No matching entries').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok(await page.evaluate(FITS));
  await screenshot(page, 'work-audit-phone');
  await form.getByRole('button', { name: 'Clear' }).click();
  await rows.filter({ hasText: 'Created the project' }).waitFor();
  assert.deepEqual(withoutRefusals(complaints), []);
});
