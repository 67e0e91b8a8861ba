import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from '@petstore/test-support/browser.ts';
import { dialogOf } from '../support/dialog.ts';
import {
  PASSWORD,
  sharedInstallation,
  type Visitor,
  withoutRefusals,
} from '../support/installation.ts';
import { look, type Place, VIEWS } from '../support/look.ts';
import { BROKEN_DOCUMENT, deploy } from '../support/uploads.ts';

// Every page, opened by its address as after a reload or from a link that someone shared.

const shared = sharedInstallation({});

type Owner = Visitor & { readonly email: string };

const showTerminal = async (page: Page) => {
  await page.getByText('What goes into a folder of guides').click();
  await page.getByRole('tab', { name: 'Command line' }).click();
};

const makeToken = async (page: Page) => {
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Made');
  await page.getByRole('button', { name: 'Create the token' }).click();
  await page.getByText('It is shown this once').waitFor();
};

const addWebhook = async (page: Page) => {
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByLabel('URL').fill('https://example.com/hooks');
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  await page.getByText('It is shown this once').waitFor();
};

const click = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click();
  await dialogOf(page).or(page.getByRole('menu')).waitFor();
};

/** Looks at places one after the other. One that follows a place of the same address is not loaded again. */
async function lookAtAll({ page, complaints }: Visitor, places: readonly Place[]) {
  let before: Place | undefined;
  for (const place of places) {
    const isLoaded = before !== undefined && before.path === place.path && !before.open;
    await look(page, shared(), place, VIEWS, isLoaded);
    before = place;
  }
  const failed = withoutRefusals(complaints);
  assert.deepEqual(failed, [], 'no script failed, and the policy was kept');
}

/** Who owns the installation; the tests share it, and each has a project of its own. */
let owner: Promise<Owner> | undefined;

async function withProject(slug: string) {
  owner ??= shared().member();
  const someone = await owner;
  await someone.call('POST', '/projects', { name: 'Petstore', slug });
  return { owner: someone, project: `/projects/${slug}` };
}

test('an empty installation is in order for everyone', async () => {
  const nobody = await shared().visitor();
  await lookAtAll(nobody, [{ name: 'sign-up-first', path: '/sign-up', text: 'Nobody has an' }]);
  owner = shared().member();
  await lookAtAll(await owner, [
    { name: 'projects-empty', path: '/', text: 'Create your first' },
    { name: 'new-project', path: '/new', text: 'Derived from the name' },
  ]);
});

let deployed: ReturnType<typeof withDeploys> | undefined;

/** A project with deploys that succeeded, one that failed, and one with warnings. */
async function withDeploys() {
  const { owner, project } = await withProject('deployed');
  const first = await deploy(owner, 'deployed', 'First');
  await deploy(owner, 'deployed', 'Second');
  const failed = await deploy(owner, 'deployed', BROKEN_DOCUMENT, '?strict=true');
  const odd = await deploy(owner, 'deployed', BROKEN_DOCUMENT, '?activate=false');
  return { owner, project, first, failed, odd };
}

test('projects are in order for everyone, and their addresses can be shared', async () => {
  deployed ??= withDeploys();
  const { owner, project } = await deployed;
  await owner.call('POST', '/projects', { name: 'Nothing yet', slug: 'nothing-yet' });
  await owner.call('POST', '/projects', { name: 'Failing', slug: 'failing' });
  await deploy(owner, 'failing', BROKEN_DOCUMENT, '?strict=true');
  await lookAtAll(owner, [
    { name: 'projects', path: '/', text: 'Nothing yet' },
    { name: 'project-empty', path: '/projects/nothing-yet', text: 'No deploys yet' },
    {
      name: 'project-terminal',
      path: '/projects/nothing-yet',
      text: 'No deploys yet',
      open: showTerminal,
    },
    { name: 'project-first-failed', path: '/projects/failing', text: 'Nothing is live yet.' },
    { name: 'project', path: project, text: /^#3/ },
    { name: 'project-missing', path: '/projects/nowhere', text: 'No such project' },
    { name: 'missing', path: '/nowhere/at/all', text: 'Page not found' },
  ]);
});

test('deploys are in order for everyone, and their addresses can be shared', async () => {
  deployed ??= withDeploys();
  const { owner, project, first, failed, odd } = await deployed;
  const deploys = `${project}/deploys`;
  const old = { path: `${deploys}/${first.id}`, text: /^Succeeded/ };
  await lookAtAll(owner, [
    { name: 'deploys', path: deploys, text: /^#1/ },
    { name: 'deploy', ...old },
    { name: 'deploy-roll-back', ...old, open: click('Roll back') },
    { name: 'deploy-failed', path: `${deploys}/${failed.id}`, text: /Failed with/ },
    { name: 'deploy-warnings', path: `${deploys}/${odd.id}`, text: /It is published all the same/ },
    { name: 'deploy-missing', path: `${deploys}/aaaaaaaaaaaa`, text: 'No such deploy' },
  ]);
});

test('settings are in order for everyone, and their addresses can be shared', async () => {
  const { owner, project } = await withProject('settled');
  await owner.call('POST', '/projects/settled/tokens', { name: 'Build server' });
  const scopes = ['deploy', 'members'];
  const bot = { name: 'Onboarding', project: 'settled', scopes };
  const { token } = await owner.call<{ token: string }>('POST', '/account/tokens', bot);
  await fetch(`${shared().origin}/api/projects/settled/invitations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'katherine@example.com', role: 'editor' }),
  });
  const invitation = { email: 'grace@example.com', role: 'viewer' };
  await owner.call('POST', '/projects/settled/invitations', invitation);
  const settings = `${project}/settings`;
  const members = { path: `${settings}/members`, text: invitation.email };
  const tokens = { path: `${settings}/tokens`, text: 'Build server' };
  await owner.call('POST', '/projects/settled/webhooks', { url: 'https://hooks.example.com/docs' });
  const notifications = {
    path: `${settings}/notifications`,
    text: 'https://hooks.example.com/docs',
  };
  const repository = { path: `${settings}/repository`, text: 'Deploy by pushing' };
  const danger = { path: `${settings}/danger`, text: 'Delete this project' };
  await lookAtAll(owner, [
    { name: 'settings', path: settings, text: 'Change the address' },
    { name: 'members', ...members },
    { name: 'members-invite', ...members, open: click('Invite') },
    { name: 'plan', path: `${settings}/plan`, text: 'Current' },
    { name: 'tokens', ...tokens },
    { name: 'tokens-new', ...tokens, open: click('New token') },
    { name: 'tokens-made', ...tokens, open: makeToken },
    { name: 'repository', ...repository },
    { name: 'repository-new', ...repository, open: click('Connect a repository') },
    { name: 'notifications', ...notifications },
    { name: 'notifications-new', ...notifications, open: click('New webhook') },
    { name: 'notifications-made', ...notifications, open: addWebhook },
    { name: 'audit', path: `${settings}/audit`, text: 'token “Onboarding”' },
    { name: 'danger', ...danger },
    { name: 'danger-delete', ...danger, open: click('Delete the project') },
  ]);
});

test('accounts and invitations are in order for everyone, and their addresses can be shared', async () => {
  const { owner } = await withProject('shared');
  // Seen in the audit log, of which the page shows the end.
  await owner.call('POST', '/session', { email: owner.email, password: PASSWORD });
  await owner.call('POST', '/account/tokens', { name: 'My laptop' });
  const invitation = { email: 'grace@example.com', role: 'viewer' };
  const { link } = await owner.call<{ link: string }>(
    'POST',
    '/projects/shared/invitations',
    invitation,
  );
  const { pathname } = new URL(link);
  const { id } = await owner.call<{ id: string }>('GET', '/session');
  await lookAtAll(owner, [
    { name: 'account', path: '/account', text: 'Owns the installation' },
    { name: 'account-menu', path: '/account', text: 'Theme', open: click('Account menu') },
    { name: 'account-security', path: '/account/security', text: 'This one' },
    { name: 'account-tokens', path: '/account/tokens', text: 'My laptop' },
    { name: 'people', path: '/installation/people', text: 'Everyone who has an account' },
    { name: 'installation-security', path: '/installation/security', text: 'Whoever lost theirs' },
    { name: 'person', path: `/installation/people/${id}`, text: 'Owner of the installation' },
    { name: 'installation-audit', path: '/installation/audit', text: 'Signed in as' },
    { name: 'invitation-other', path: pathname, text: 'you are signed in as' },
  ]);
  await lookAtAll(await shared().visitor(), [
    { name: 'sign-in', path: '/sign-in', text: 'Accounts are created by invitation' },
    { name: 'sign-up-closed', path: '/sign-up', text: 'Sign-up is by invitation here.' },
    { name: 'invitation', path: pathname, text: 'Create account and accept' },
    { name: 'forgotten', path: '/forgotten-password', text: 'Ask the owner of this installation' },
    { name: 'link-gone', path: '/reset-password#nonsense', text: 'Ask for another one' },
    { name: 'confirm-gone', path: '/confirm-email#nonsense', text: 'Ask for another one' },
    { name: 'invitation-gone', path: '/invitations/nonsense', text: 'not open' },
  ]);
});
