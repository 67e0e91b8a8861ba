import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Page, seriousViolations } from '@petstore/test-support/browser.ts';
import {
  type Installation,
  PASSWORD,
  screenshot,
  startInstallation,
  type Visitor,
  withoutRefusals,
} from '../support/installation.ts';
import { BROKEN_DOCUMENT, deploy } from '../support/uploads.ts';

// Every page, opened by its address as after a reload or from a link that someone shared.

const VIEWS = [
  { name: 'light-1280', colorScheme: 'light', width: 1280 },
  { name: 'dark-1280', colorScheme: 'dark', width: 1280 },
  { name: 'light-360', colorScheme: 'light', width: 360 },
  { name: 'dark-360', colorScheme: 'dark', width: 360 },
] as const;

interface Place {
  /** Of its pictures. */
  readonly name: string;
  readonly path: string;
  /** What stands there when it is whole. */
  readonly text: string | RegExp;
  /** Opens what is in front of it. */
  readonly open?: (page: Page) => Promise<void>;
}

/** What a page must be for all who use it: in either theme, narrow and wide. */
async function look(page: Page, origin: string, { name, path, text, open }: Place) {
  await page.goto(`${origin}${path}`);
  const seen = page.getByText(text).filter({ visible: true }).first();
  await seen.waitFor();
  assert.equal(page.url(), `${origin}${path}`, 'the address stays');
  assert.match(await page.title(), /^.+ · Dashboard$/, path);
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, path);
  await open?.(page);
  for (const view of VIEWS) {
    await page.emulateMedia({ colorScheme: view.colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width: view.width, height: view.width === 360 ? 740 : 860 });
    // What floats takes its new place a moment later.
    const fits = page.waitForFunction(
      'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
    );
    await assert.doesNotReject(fits, `${path} is scrolled sideways (${view.name})`);
    await screenshot(page, `${name}-${view.name}`);
    assert.deepEqual(await seriousViolations(page), [], `${path} (${view.name})`);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
}

/** axe is brought in from outside, which the pages' policy forbids. */
async function openPage({ browser, origin }: Installation, email?: string): Promise<Page> {
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  if (email !== undefined) {
    await page.request.post(`${origin}/api/session`, {
      headers: { origin },
      data: { email, password: PASSWORD },
    });
  }
  return page;
}

const click = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click();
  await page.getByRole('dialog').or(page.getByRole('menu')).waitFor();
};

test('an empty installation is in order for everyone', async (t) => {
  const installation = await startInstallation(t);
  const { origin, member } = installation;
  const before = await openPage(installation);
  await look(before, origin, { name: 'sign-up-first', path: '/sign-up', text: 'Nobody has an' });
  await member('ada@example.com');
  const page = await openPage(installation, 'ada@example.com');
  await look(page, origin, { name: 'projects-empty', path: '/', text: 'Create your first' });
  await look(page, origin, { name: 'new-project', path: '/new', text: 'Made from the name' });
});

/** A page whose places are looked at, and then opened once more under their own policy. */
async function lookAtAll(installation: Installation, owner: Visitor, places: readonly Place[]) {
  const { origin } = installation;
  const page = await openPage(installation, 'ada@example.com');
  for (const place of places) await look(page, origin, place);
  for (const { path, text, open } of places) {
    await owner.page.goto(`${origin}${path}`);
    await owner.page.getByText(text).filter({ visible: true }).first().waitFor();
    await open?.(owner.page);
  }
  const complaints = withoutRefusals(owner.complaints);
  assert.deepEqual(complaints, [], 'no script failed, and the policy was kept');
}

const PROJECT = '/projects/petstore';

async function withProject(t: TestContext) {
  const installation = await startInstallation(t);
  const owner = await installation.member('ada@example.com');
  await owner.call('POST', '/projects', { name: 'Petstore', slug: 'petstore' });
  return { installation, owner };
}

test('projects and deploys are in order for everyone, and their addresses can be shared', async (t) => {
  const { installation, owner } = await withProject(t);
  await owner.call('POST', '/projects', { name: 'Nothing yet', slug: 'nothing-yet' });
  const first = await deploy(owner, 'petstore', 'First');
  await deploy(owner, 'petstore', 'Second');
  const failed = await owner.call<{ id: string }>(
    'POST',
    '/projects/petstore/deploys',
    Buffer.from(BROKEN_DOCUMENT),
  );
  const deploys = `${PROJECT}/deploys`;
  await lookAtAll(installation, owner, [
    { name: 'projects', path: '/', text: 'Nothing yet' },
    { name: 'project-empty', path: '/projects/nothing-yet', text: 'No deploys yet' },
    { name: 'project', path: PROJECT, text: /^#3/ },
    { name: 'deploys', path: deploys, text: /^#1/ },
    { name: 'deploy', path: `${deploys}/${first.id}`, text: /^Succeeded/ },
    {
      name: 'deploy-roll-back',
      path: `${deploys}/${first.id}`,
      text: /^Succeeded/,
      open: click('Roll back'),
    },
    { name: 'deploy-failed', path: `${deploys}/${failed.id}`, text: /Failed with/ },
    { name: 'deploy-missing', path: `${deploys}/aaaaaaaaaaaa`, text: 'No such deploy' },
    { name: 'project-missing', path: '/projects/nowhere', text: 'No such project' },
    { name: 'missing', path: '/nowhere/at/all', text: 'Page not found' },
  ]);
});

test('settings are in order for everyone, and their addresses can be shared', async (t) => {
  const { installation, owner } = await withProject(t);
  await owner.call('POST', '/projects/petstore/tokens', { name: 'Build server' });
  const invitation = { email: 'grace@example.com', role: 'viewer' };
  await owner.call('POST', '/projects/petstore/invitations', invitation);
  const settings = `${PROJECT}/settings`;
  const members = { path: `${settings}/members`, text: invitation.email };
  const tokens = { path: `${settings}/tokens`, text: 'Build server' };
  const danger = { path: `${settings}/danger`, text: 'Delete this project' };
  await lookAtAll(installation, owner, [
    { name: 'settings', path: settings, text: 'Change the address' },
    { name: 'members', ...members },
    { name: 'members-invite', ...members, open: click('Invite') },
    { name: 'plan', path: `${settings}/plan`, text: 'Current' },
    { name: 'tokens', ...tokens },
    { name: 'tokens-new', ...tokens, open: click('New token') },
    { name: 'audit', path: `${settings}/audit`, text: 'project.create' },
    { name: 'danger', ...danger },
    { name: 'danger-delete', ...danger, open: click('Delete the project') },
  ]);
});

test('accounts and invitations are in order for everyone, and their addresses can be shared', async (t) => {
  const { installation, owner } = await withProject(t);
  await owner.call('POST', '/account/tokens', { name: 'My laptop' });
  const invitation = { email: 'grace@example.com', role: 'viewer' };
  const { link } = await owner.call<{ link: string }>(
    'POST',
    '/projects/petstore/invitations',
    invitation,
  );
  const { pathname } = new URL(link);
  await lookAtAll(installation, owner, [
    { name: 'account', path: '/account', text: 'Owns the installation' },
    { name: 'account-security', path: '/account/security', text: 'This one' },
    { name: 'account-tokens', path: '/account/tokens', text: 'My laptop' },
    { name: 'account-audit', path: '/account/audit', text: 'account.create' },
    { name: 'account-menu', path: '/account', text: 'Theme', open: click('Account menu') },
    { name: 'invitation-other', path: pathname, text: 'you are signed in as' },
  ]);
  const visitor = await openPage(installation);
  for (const place of [
    { name: 'sign-in', path: '/sign-in', text: 'Accounts are made by invitation' },
    { name: 'sign-up-closed', path: '/sign-up', text: 'Sign-up is by invitation here.' },
    { name: 'invitation', path: pathname, text: 'Create account and accept' },
    { name: 'invitation-gone', path: '/invitations/nonsense', text: 'not open' },
  ]) {
    await look(visitor, installation.origin, place);
  }
});
