import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Project } from '../../server/src/projects/project.ts';
import { dialogClosed, dialogOf } from '../support/dialog.ts';
import { type Installation, sharedInstallation } from '../support/installation.ts';
import { said } from '../support/said.ts';
import { fetchFromSite } from '../support/site.ts';
import { deploy } from '../support/uploads.ts';

const shared = sharedInstallation();
let projects = 0;
let first: ReturnType<Installation['member']> | undefined;

/** A project of its own for each test, and the one who owns the installation. */
async function withProject() {
  const { origin, browser, member, site } = shared();
  first ??= member();
  const owner = await first;
  const slug = `petstore-${++projects}`;
  await owner.call('POST', '/projects', { name: 'Petstore', slug });
  const settings = `${origin}/projects/${slug}/settings`;
  return { ...owner, owner, origin, browser, slug, settings, site };
}

test('a project goes only when its address is typed, and its site with it', async () => {
  const { origin, owner, page, settings, site, slug } = await withProject();
  await deploy(owner, slug, 'Pets');
  const status = async () => (await fetchFromSite(site(slug))).status;
  assert.equal(await status(), 200);
  await page.goto(`${settings}/danger`);
  await page.getByRole('button', { name: 'Delete the project' }).click();
  const confirm = page.getByRole('button', { name: 'Delete permanently' });
  const typed = page.getByLabel(`Type ${slug} to confirm`);
  for (const text of ['', slug.slice(1), slug.toUpperCase()]) {
    await typed.fill(text);
    assert.equal(await confirm.isDisabled(), true, text);
  }
  await typed.fill(slug);
  await confirm.click();
  await said(page, 'is deleted, and its site is offline.');
  await page.waitForURL(`${origin}/`);
  assert.equal(await status(), 404);
});

test('another address moves the site, and the old one leads there until its owner ends that', async () => {
  const { origin, owner, page, settings, site, slug } = await withProject();
  await deploy(owner, slug, 'Pets');
  await page.goto(settings);
  await page.getByRole('textbox', { name: 'Address', exact: true }).fill('pets');
  await page.getByText('redirect to the new ones').waitFor();
  await page.getByRole('button', { name: 'Change the address' }).click();
  await page.waitForURL(`${origin}/projects/pets/settings`);
  // The old address leads there, until the day that the page names or until its owner ends it.
  assert.equal((await fetchFromSite(site(slug))).status, 308);
  assert.equal((await fetchFromSite(site('pets'))).status, 200);
  const former = page.getByRole('region', { name: 'Former addresses' });
  await former.getByText(/^Until \w+ \d+, \d{4}$/).waitFor();
  await page.goto(settings);
  await page.waitForURL(`${origin}/projects/pets/settings`);
  await former.getByRole('button', { name: /^End the redirect of/ }).click();
  await dialogOf(page).getByRole('button', { name: 'End the redirect' }).click();
  await dialogClosed(page);
  await former.waitFor({ state: 'detached' });
  assert.equal((await fetchFromSite(site(slug))).status, 404);
});

test('the MCP server is switched off and stays off', async () => {
  const { owner, page, settings, slug } = await withProject();
  await page.goto(settings);
  const mcp = page.getByRole('switch', { name: 'MCP server for assistants' });
  assert.equal(await mcp.isChecked(), true);
  await mcp.click();
  await said(page, 'The MCP server is off.');
  const { mcp: isOn } = await owner.call<Project>('GET', `/projects/${slug}`);
  assert.equal(isOn, false);
  await page.reload();
  await mcp.waitFor();
  assert.equal(await mcp.isChecked(), false);
});

test('the request proxy cannot be switched on where the operator does not allow it', async () => {
  const { owner, page, settings, slug } = await withProject();
  await page.goto(settings);
  await page.getByText('whoever runs this dashboard does not allow it').waitFor();
  const proxy = page.getByRole('switch', { name: 'Request proxy' });
  assert.deepEqual([await proxy.isDisabled(), await proxy.isChecked()], [true, false]);
  const { requestProxy } = await owner.call<Project>('GET', `/projects/${slug}`);
  assert.equal(requestProxy, false);
});

test('a token is shown once, works, and is refused once revoked', async () => {
  const { browser, origin, page, settings, slug } = await withProject();
  await page.goto(`${settings}/tokens`);
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Build server');
  await page.getByText('Programs that use it stop working then.').waitFor();
  // It reads and deploys; more is chosen.
  const isChosen = (label: string) => page.getByRole('checkbox', { name: label }).isChecked();
  assert.deepEqual(
    [await isChosen('Read'), await isChosen('Deploy'), await isChosen('Members')],
    [true, true, false],
  );
  await page.getByRole('checkbox', { name: 'Domains' }).check();
  await page.getByRole('button', { name: 'Create the token' }).click();
  await page.getByText('may read, deploy, and manage domains, as far as you may').waitFor();
  const token = await page.getByLabel('token', { exact: true }).innerText();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await dialogClosed(page);
  await page.getByText('never used').waitFor();
  await page.getByText('May read, deploy, and manage domains').waitFor();
  assert.equal((await page.content()).includes(token), false);

  const program = (await browser.newContext()).request;
  const headers = { authorization: `Bearer ${token}` };
  const ask = () => program.get(`${origin}/api/projects/${slug}`, { headers });
  assert.equal((await ask()).status(), 200);
  const invitations = `${origin}/api/projects/${slug}/invitations`;
  assert.equal((await program.get(invitations, { headers })).status(), 403);
  await page.getByRole('button', { name: 'Revoke Build server' }).click();
  await dialogOf(page).getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No tokens').waitFor();
  assert.equal((await ask()).status(), 401);
});

test('a dialog stays while its request is under way, and then shows what is shown once', async () => {
  const { page, settings, slug } = await withProject();
  const isTried = Promise.withResolvers<void>();
  const isSent = Promise.withResolvers<void>();
  await page.route(`**/api/projects/${slug}/tokens`, async (route) => {
    if (route.request().method() === 'POST') {
      isSent.resolve();
      await isTried.promise;
    }
    await route.continue();
  });
  await page.goto(`${settings}/tokens`);
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Build server');
  await page.getByRole('button', { name: 'Create the token' }).click();
  await isSent.promise;
  const cancel = dialogOf(page).getByRole('button', { name: 'Cancel' });
  await cancel.and(page.locator(':disabled')).waitFor();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  isTried.resolve();
  await page.getByLabel('token', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await dialogClosed(page);
  await page.unrouteAll({ behavior: 'wait' });
});

test('a dialog that is cancelled in the moment in which it is sent stays', async () => {
  const { page, settings } = await withProject();
  await page.goto(`${settings}/tokens`);
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Build server');
  // Before the page has shown that the request is under way.
  await dialogOf(page).evaluate((dialog) => {
    const [cancel, create] = [...dialog.querySelectorAll('button')].slice(-2);
    create?.click();
    cancel?.click();
  });
  await page.getByLabel('token', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await dialogClosed(page);
});

test('the owner of the installation changes the plan, and the audit log tells', async () => {
  const { page, settings } = await withProject();
  await page.goto(`${settings}/plan`);
  await page.getByText('Nothing is charged here.').waitFor();
  await page.getByRole('button', { name: 'Change to Pro' }).click();
  await dialogOf(page).getByRole('button', { name: 'Change the plan' }).click();
  await said(page, 'is now on the plan Pro.');
  await page.getByRole('button', { name: 'Change to Free' }).waitFor();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByText('Changed the plan of').waitFor();
});

test('lists that could not be loaded say why and are tried again', async () => {
  const { page, settings, slug } = await withProject();
  let isBroken = true;
  await page.route(`**/api/projects/${slug}/members`, (route) =>
    isBroken
      ? route.fulfill({
          status: 400,
          json: { code: 'invalid_request', message: 'Broken on purpose.', status: 400 },
        })
      : route.fallback(),
  );
  await page.goto(`${settings}/members`);
  await page.getByRole('alert').getByText('Broken on purpose.').waitFor();
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Ada Lovelace').and(page.getByRole('main').locator('*')).waitFor();
});

test('a browser without network is told so', async () => {
  const { page, origin } = await withProject();
  await page.goto(origin);
  await page.getByRole('link', { name: 'Petstore', exact: true }).first().waitFor();
  await page.context().setOffline(true);
  await page.getByText('You are offline.').waitFor();
  await page.context().setOffline(false);
  await page.getByText('You are offline.').waitFor({ state: 'detached' });
});
