import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Page, seriousViolations } from '@petstore/test-support/browser.ts';
import { screenshot, sharedInstallation, withoutRefusals } from '../support/installation.ts';
import { FITS, VIEWS } from '../support/look.ts';
import { said } from '../support/said.ts';
import { deploy } from '../support/uploads.ts';

const shared = sharedInstallation();
let projects = 0;

/** A project with a live deploy, one before it and one of a branch. */
async function withPreviews() {
  const { member } = shared();
  const owner = await member();
  const slug = `previewed-${++projects}`;
  await owner.call('POST', '/projects', { name: 'Petstore', slug });
  const first = await deploy(owner, slug, 'First');
  await deploy(owner, slug, 'Second');
  const { branchUrl } = await deploy(owner, slug, 'Branch', '?branch=feature/long-names-of-pets');
  return { owner, slug, first, branch: branchUrl ?? '' };
}

const OPERATION = '/reference/operations/listPets';

const barOf = (page: Page) => page.getByRole('complementary', { name: 'Preview' });

test('the bar of a preview covers nothing, on every screen, and can be hidden', async () => {
  const { branch, slug } = await withPreviews();
  const { visitor, site } = shared();
  const { page, complaints } = await visitor();
  await page.goto(branch + OPERATION);
  const bar = barOf(page);
  await bar
    .getByText(/^Preview of branch feature\/long-names-of-pets, deployed .* Not live\.$/)
    .waitFor();
  await bar.getByText(/deployed (?:just now|\d+ minutes? ago)/).waitFor();
  for (const view of VIEWS) {
    await page.emulateMedia({ colorScheme: view.colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width: view.width, height: 740 });
    assert.ok(await page.evaluate(FITS), view.name);
    await screenshot(page, `preview-bar-${view.name}`);
    const colorsOnly = view.colorScheme === 'dark';
    assert.deepEqual(await seriousViolations(page, { colorsOnly }), [], view.name);
    // In the flow of the page: the header begins where it ends.
    const [own, header] = [await bar.boundingBox(), await page.getByRole('banner').boundingBox()];
    assert.equal(Math.round((own?.y ?? 0) + (own?.height ?? 0)), Math.round(header?.y ?? 0));
  }
  await page.emulateMedia({ media: 'print' });
  assert.equal(await bar.isVisible(), false, 'nobody prints it');
  await page.emulateMedia({ media: null, colorScheme: 'light' });

  // With the keyboard: behind the link to the content.
  await page.reload();
  const focused = () => page.evaluate('document.activeElement.textContent');
  const stops = [];
  for (let tabs = 0; tabs < 4; tabs += 1) {
    await page.keyboard.press('Tab');
    stops.push(String(await focused()).replace(/^Hide.*/, 'Hide'));
  }
  const expected = ['Skip to content', 'Hide', 'Open the live page', 'Open in the dashboard'];
  assert.deepEqual(stops, expected);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await bar.getByText('Not live.').waitFor({ state: 'hidden' });
  const strip = bar.getByText('Preview, not live');
  await strip.waitFor();
  await screenshot(page, 'preview-bar-hidden');

  // It stays so on the page that is swapped in, whose link is its own.
  await page
    .getByRole('link', { name: 'Petstore' })
    .or(page.locator('.site-brand'))
    .first()
    .click();
  await page.waitForURL(`${branch}/`);
  await bar.getByText('Not live.').waitFor({ state: 'hidden' });
  await strip.click();
  await bar.getByRole('link', { name: 'Open the live page' }).click();
  await page.waitForURL(`${site(slug)}/`);
  assert.equal(await bar.count(), 0);
  assert.deepEqual(complaints, []);
});

test('the bar works without a script', async () => {
  const { branch } = await withPreviews();
  const context = await shared().browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(branch + OPERATION);
  const bar = barOf(page);
  await bar.getByText(/deployed \d+ \w+ \d{4}, \d\d:\d\d UTC\. Not live\./).waitFor();
  await bar.getByText('Hide').click();
  await bar.getByRole('link').first().waitFor({ state: 'hidden' });
});

test('the bar of an earlier deploy leads members to the question whether it goes live', async () => {
  const { first, owner, slug } = await withPreviews();
  const { origin, visitor, site } = shared();
  const guest = await visitor();
  await guest.page.goto(first.url + OPERATION);
  await barOf(guest.page).getByText('Deploy #1, deployed').waitFor();
  await screenshot(guest.page, 'preview-bar-earlier');
  await barOf(guest.page).getByRole('link', { name: 'Go live in the dashboard' }).click();
  // Signed in, they come back to the question.
  await guest.page.getByLabel('E-mail').fill(owner.email);
  await guest.page.getByLabel('Password').fill('correct horse battery');
  await guest.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const question = guest.page.getByRole('dialog', { name: 'Roll back to this?' });
  await question.getByText('instead of #2').waitFor();
  await screenshot(guest.page, 'preview-bar-go-live');
  const address = `${origin}/projects/${slug}/deploys/${first.id}`;
  assert.equal(guest.page.url(), `${address}?go-live=true`);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await guest.page.waitForURL(address);
  await guest.page.goto(`${address}?go-live=true`);
  await question.getByRole('button', { name: 'Roll back to this' }).click();
  await said(guest.page, 'Deploy #1 is live.');
  await guest.page.waitForURL(address);
  await guest.page.goto(`${site(slug)}${OPERATION}`);
  assert.equal(await barOf(guest.page).count(), 0);
  await guest.page.goto(first.url + OPERATION);
  await guest.page.getByRole('heading', { name: 'List pets' }).first().waitFor();
  assert.equal(await barOf(guest.page).count(), 0, 'it is live now');
  assert.deepEqual(withoutRefusals(guest.complaints), []);
});
