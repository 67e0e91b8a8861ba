import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { before, test } from 'node:test';
import type { Page } from '@petstore/test-support/browser.ts';
import { cleanUp, FILE } from '@petstore/test-support/clean-up.ts';
import { type GitHttpsHost, gitHttpsHost } from '@petstore/test-support/git-hosts/https-host.ts';
import { WITHOUT_GIT, WITHOUT_SSHD } from '@petstore/test-support/git-hosts/requirements.ts';
import { gitSshHost } from '@petstore/test-support/git-hosts/ssh-host.ts';
import {
  makeTestRepository,
  type TestRepository,
} from '@petstore/test-support/git-hosts/test-repository.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import type { Repository } from '../../server/src/repositories/repository.ts';
import { waitAhead } from '../support/ahead.ts';
import { dialogClosed, dialogOf } from '../support/dialog.ts';
import { sharedInstallation, withoutRefusals } from '../support/installation.ts';
import { look } from '../support/look.ts';
import { documentTitled } from '../support/project.ts';
import { said } from '../support/said.ts';
import { titleAt } from '../support/site.ts';

let folder = '';
let host: GitHttpsHost;

const shared = sharedInstallation(async () => {
  folder = await temporaryFolder(FILE);
  if (WITHOUT_GIT === false) host = await gitHttpsHost(FILE, folder);
  return {
    DASHBOARD_SIGN_UP: 'open',
    DASHBOARD_GIT_PRIVATE_ADDRESSES: 'allow',
    ...(WITHOUT_GIT === false && { DASHBOARD_GIT_CA_FILE: host.caFile }),
  };
});

let owner: Awaited<ReturnType<ReturnType<typeof shared>['member']>>;
let projects = 0;

before(async () => {
  owner = await shared().member();
  // The page asks every few seconds how it stands: the tests put its clock forward.
  await owner.page.clock.install();
});

/** A project, a repository at the host with a document in `docs`, and the page that connects both. */
async function setUp() {
  const slug = `pets-${++projects}`;
  await owner.call('POST', '/projects', { name: 'Pets', slug });
  const repository = makeTestRepository(folder, `${slug}.git`);
  const push = (title: string, options: Parameters<TestRepository['commit']>[1] = {}) =>
    repository.commit(
      { 'docs/openapi.json': documentTitled(title) },
      { message: title, ...options },
    );
  push('Pets one');
  const { page } = owner;
  await page.goto(`${shared().origin}/projects/${slug}/settings/repository`);
  const place = (name: string, text: string) => ({
    ...{ name: `repository-${name}`, path: `/projects/${slug}/settings/repository`, text },
  });
  return { slug, page, repository, push, place, url: `${host.origin}/${slug}.git` };
}

/** Fills in the form that connects a repository, and sends it. */
async function connect(page: Page, url: string, access = 'Public', token = '') {
  await page.getByRole('button', { name: 'Connect a repository' }).click();
  const dialog = dialogOf(page);
  await dialog.getByLabel('Address').fill(url);
  await dialog.getByRole('radio', { name: access, exact: true }).check();
  if (token !== '') await dialog.getByLabel('Token', { exact: true }).fill(token);
  await dialog.getByLabel('Folder or document').fill('docs');
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialogClosed(page);
}

const state = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text });

const reached = (page: Page, text: string) => waitAhead(page, state(page, text));

test('a repository is connected on its page, each push is shown, and branches have previews', {
  skip: WITHOUT_GIT,
}, async () => {
  const { slug, page, push, repository, place, url } = await setUp();
  await page.goto(`${shared().origin}/projects/${slug}`);
  await page.getByRole('link', { name: 'Connect a repository' }).click();
  await look(page, shared(), place('none', 'Deploy by pushing'), undefined, true);

  push('Pets on a branch', { branch: 'feature/ä' });
  await connect(page, url);
  await reached(page, 'Up to date');
  assert.equal(await titleAt(shared().site(slug)), 'Pets one');
  const branches = page.getByRole('list', { name: 'Branches' }).getByRole('listitem');
  const feature = branches.filter({ hasText: 'feature/ä' });
  await feature.getByText('was there before the repository was connected').waitFor();
  await feature.getByRole('button', { name: 'Deploy: feature/ä' }).click();
  await waitAhead(page, feature.getByRole('link', { name: /--feature/ }));
  assert.equal(await branches.filter({ hasText: 'Live branch' }).count(), 1);
  await look(page, shared(), place('connected', 'Up to date'));

  const hash = push('Pets two');
  await page.getByRole('button', { name: 'Ask now' }).click();
  const newest = branches.filter({ hasText: hash.slice(0, 7) });
  await waitAhead(page, newest.filter({ hasText: 'Up to date' }));
  assert.equal(await titleAt(shared().site(slug)), 'Pets two');
  await branches.filter({ hasText: 'main' }).getByRole('link', { name: /^#/ }).click();
  await page.getByRole('heading', { name: 'Commit' }).waitFor();
  for (const text of ['Pets two', 'Ada Lovelace', hash.slice(0, 7)])
    await page.getByRole('main').getByText(text).first().waitFor();

  await page.goto(`${shared().origin}${place('', '').path}`);
  repository.git(['branch', '-m', 'main', 'trunk']);
  await page.getByRole('button', { name: 'Ask now' }).click();
  await page.getByText('Push it again, or choose another live branch.').waitFor();
  await look(page, shared(), place('branch-missing', 'Push it again'), undefined, true);
  await page.getByRole('button', { name: 'Change' }).click();
  await dialogOf(page).getByLabel('Live branch').fill('trunk');
  await dialogOf(page).getByRole('button', { name: 'Save' }).click();
  await reached(page, 'Up to date');

  await page.getByRole('switch', { name: 'Previews of branches' }).click();
  await said(page, 'Previews of branches are off.');
  await page.getByRole('button', { name: 'Disconnect the repository' }).click();
  await dialogOf(page).getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('Deploy by pushing').waitFor();
  assert.equal(await titleAt(shared().site(slug)), 'Pets two');
  assert.deepEqual(withoutRefusals(owner.complaints), []);
});

test('a token that ends is told with what to do, and a new one goes on', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { page, push, place, url } = await setUp();
  host.credentials = 'x-access-token:first';
  cleanUp(t, () => {
    host.credentials = null;
  });
  await connect(page, url, 'Access token', 'first');
  await reached(page, 'Up to date');
  host.credentials = 'x-access-token:second';
  push('Pets later');
  await page.getByRole('button', { name: 'Ask now' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'Enter a new token' });
  await alert.waitFor();
  await look(page, shared(), place('token', 'Enter a new token'), undefined, true);
  await page.getByRole('button', { name: 'Change' }).click();
  await dialogOf(page).getByLabel('Token', { exact: true }).fill('second');
  await dialogOf(page).getByRole('button', { name: 'Save' }).click();
  await reached(page, 'Up to date');
  await alert.first().waitFor({ state: 'detached' });
  assert.deepEqual(withoutRefusals(owner.complaints), []);
});

test('a deploy key is copied to the host, and another key of the host is accepted by an owner alone', {
  skip: WITHOUT_SSHD,
}, async (t) => {
  const { slug, page, place, repository } = await setUp();
  const ssh = await gitSshHost(t);
  await page.getByRole('button', { name: 'Connect a repository' }).click();
  const dialog = dialogOf(page);
  await dialog.getByLabel('Address').fill(`${ssh.origin}${repository.folder}`);
  assert.ok(await dialog.getByRole('radio', { name: 'Deploy key' }).isChecked());
  await dialog.getByLabel('Folder or document').fill('docs');
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'Add its public half' }).waitFor();
  const key = (await page.getByRole('status', { name: 'public key' }).textContent()) ?? '';
  assert.match(key, /^ssh-ed25519 \S+/);
  await ssh.authorize(key);
  await page.getByRole('button', { name: 'Try again' }).click();
  await reached(page, 'Up to date');
  assert.equal(await titleAt(shared().site(slug)), 'Pets one');
  await page.getByRole('heading', { name: 'Keys of the host' }).waitFor();
  await look(page, shared(), place('key', 'Keys of the host'), undefined, true);

  await ssh.renewHostKey();
  await page.getByRole('button', { name: 'Ask now' }).click();
  await page.getByRole('alert').filter({ hasText: 'Accept the new key only if' }).waitFor();
  await look(page, shared(), place('host-key', 'Accept the new key only if'), undefined, true);
  await page.getByRole('button', { name: 'Accept the new key' }).click();
  await dialog.getByRole('button', { name: 'Accept the new key' }).click();
  await reached(page, 'Up to date');
  assert.deepEqual(withoutRefusals(owner.complaints), []);
});

test('a webhook is set up with a secret that is shown once, and its push is shown by itself', {
  skip: WITHOUT_GIT,
}, async () => {
  const { slug, page, push, place, url } = await setUp();
  await connect(page, url);
  await reached(page, 'Up to date');
  const dialog = dialogOf(page);
  const open = async () => {
    await page.getByRole('button', { name: 'Set up the webhook' }).click();
    await dialog.getByRole('button', { name: 'Make a secret' }).click();
    await dialog.getByText('The secret is shown this once.').waitFor();
  };
  await look(page, shared(), { ...place('secret', 'Set up the webhook'), open }, undefined, true);
  const secret = (await dialog.getByRole('status', { name: 'secret' }).textContent()) ?? '';
  const address = await dialog
    .getByRole('status', { name: 'address of the webhook' })
    .textContent();
  await dialog.getByRole('button', { name: 'I have entered both' }).click();
  await dialogClosed(page);
  await page.getByText('Nothing has arrived yet.').waitFor();
  assert.ok(!(await page.content()).includes(secret));

  const deliver = (signedWith: string) => {
    const body = JSON.stringify({ ref: 'refs/heads/main', at: signedWith });
    const signature = createHmac('sha256', signedWith).update(body).digest('hex');
    return fetch(address ?? '', {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'x-github-event': 'push' },
        'x-hub-signature-256': `sha256=${signature}`,
      },
      body,
    });
  };
  assert.equal((await deliver('another')).status, 401);
  // The page finds out by itself.
  await waitAhead(page, page.getByText('Enter the secret of the webhook at the host again'));
  await look(page, shared(), place('webhook', 'Enter the secret of the webhook'), undefined, true);
  const hash = push('Pets by a webhook');
  assert.ok((await deliver(secret)).ok);
  await waitAhead(page, page.getByText(hash.slice(0, 7)));
  await reached(page, 'Up to date');
  assert.equal(await titleAt(shared().site(slug)), 'Pets by a webhook');
  assert.deepEqual(withoutRefusals(owner.complaints), []);
});

test('two switches of a repository that are set at once are both saved', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { slug, page, url } = await setUp();
  host.credentials = 'x-access-token:first';
  cleanUp(t, () => {
    host.credentials = null;
  });
  const path = `/projects/${slug}/repository`;
  const input = { url, branch: 'main', folder: 'docs', previews: true, statuses: true };
  const access = { provider: 'gitea', access: 'token', token: 'first' };
  await owner.call('PUT', path, { ...input, ...access });
  await page.reload();
  const isSetTwice = Promise.withResolvers<void>();
  await page.route(`**/api${path}`, async (route) => {
    if (route.request().method() === 'PUT') await isSetTwice.promise;
    await route.continue();
  });
  await page.getByRole('switch', { name: 'Previews of branches' }).click();
  await page.getByRole('switch', { name: 'Commit statuses' }).click();
  isSetTwice.resolve();
  await said(page, 'Commit statuses are off.');
  await page.unrouteAll({ behavior: 'wait' });
  const { previews, statuses } = await owner.call<Repository>('GET', path);
  assert.deepEqual({ previews, statuses }, { previews: false, statuses: false });
});

test('a deploy that fails leads from the page to its problems, and a viewer changes nothing', {
  skip: WITHOUT_GIT,
}, async () => {
  const { slug, page, repository, place, url } = await setUp();
  repository.commit({ 'docs/openapi.json': '{ "openapi": "3.1.0", ' }, { message: 'Break it' });
  await connect(page, url);
  await reached(page, 'Deploy failed');
  await look(page, shared(), place('failed', 'Open deploy #1'), undefined, true);
  await page.getByRole('link', { name: 'Open deploy #1' }).click();
  await page.waitForURL(/\/deploys\/[a-z2-7]+$/);
  await page.getByText('Break it').waitFor();

  const guest = await shared().member();
  const { link } = await owner.call<{ link: string }>('POST', `/projects/${slug}/invitations`, {
    ...{ email: guest.email, role: 'viewer' },
  });
  await guest.call('POST', `/invitations/${link.replace(/^.*\//, '')}/accept`);
  await guest.page.goto(`${shared().origin}${place('', '').path}`);
  await state(guest.page, 'Deploy failed').waitFor();
  for (const name of ['Change', 'Try again', 'Disconnect the repository', 'Set up the webhook'])
    assert.equal(await guest.page.getByRole('button', { name }).count(), 0, name);
  assert.ok(await guest.page.getByRole('switch', { name: 'Previews of branches' }).isDisabled());
  assert.deepEqual(withoutRefusals([...owner.complaints, ...guest.complaints]), []);
});
