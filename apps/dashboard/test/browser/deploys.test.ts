import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { dialogClosed, dialogOf } from '../support/dialog.ts';
import { type Installation, sharedInstallation } from '../support/installation.ts';
import { look } from '../support/look.ts';
import { noteMessages, said } from '../support/said.ts';
import { fetchFromSite, titleAt } from '../support/site.ts';
import { BROKEN_DOCUMENT, deploy, openApiFile } from '../support/uploads.ts';

const shared = sharedInstallation();
let projects = 0;
let first: ReturnType<Installation['member']> | undefined;

/** A project and a page of its own for each test, and one owner of all. */
async function withProject(t: TestContext) {
  const { origin, member, site } = shared();
  first ??= member();
  const { call, page: opened } = await first;
  const page = await opened.context().newPage();
  await noteMessages(page);
  cleanUp(t, () => page.unrouteAll({ behavior: 'ignoreErrors' }).then(() => page.close()));
  const owner = { page, complaints: [], call };
  const slug = `petstore-${++projects}`;
  await owner.call('POST', '/projects', { name: 'Petstore', slug });
  return { owner, slug, overview: `${origin}/projects/${slug}`, site: site(slug) };
}

test('rolling back puts the older deploy live at once, and forward again', async (t) => {
  const { overview, owner, site, slug } = await withProject(t);
  const { page } = owner;
  const first = await deploy(owner, slug, 'First');
  const second = await deploy(owner, slug, 'Second');
  assert.equal(await titleAt(site), 'Second');

  await page.goto(`${overview}/deploys`);
  await page.getByRole('link', { name: '#1' }).click();
  await page.waitForURL(`${overview}/deploys/${first.id}`);
  await page.getByRole('button', { name: 'Roll back to this' }).click();
  const question = dialogOf(page);
  await question.getByText('instead of #2').waitFor();
  await question.getByRole('button', { name: 'Roll back to this' }).click();
  await said(page, 'Deploy #1 is live.');
  assert.equal(await titleAt(site), 'First');
  assert.equal(await titleAt(second.url), 'Second', 'its preview stays');

  await page.goto(`${overview}/deploys/${second.id}`);
  await page.getByRole('button', { name: 'Make live' }).click();
  await dialogOf(page).getByRole('button', { name: 'Make live' }).click();
  await said(page, 'Deploy #2 is live.');
  assert.equal(await titleAt(site), 'Second');

  await page.goto(`${overview}/settings/audit`);
  const entries = page.getByRole('main').getByRole('listitem');
  await entries.filter({ hasText: 'Rolled back from #2 to #1' }).waitFor();
  const newest = await entries.filter({ hasText: 'Rolled forward from #1 to #2' }).innerText();
  assert.doesNotMatch(newest, /before|id:|dpl/, 'ids say nothing to people');
});

test('a branch has its address on the overview, never goes live, and is deleted there', async (t) => {
  const { overview, owner, site, slug } = await withProject(t);
  const { page } = owner;
  await deploy(owner, slug, 'Live');
  await page.goto(overview);
  await page.getByRole('heading', { name: 'Last deploys' }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Branch previews' }).count(), 0);

  const preview = await deploy(owner, slug, 'Branch', '?branch=feature/long-name');
  assert.ok(preview.branchUrl);
  await page.goto(`${overview}/deploys/${preview.id}`);
  await page.getByRole('heading', { name: 'Deploy #2' }).waitFor();
  await page.getByRole('link', { name: new URL(preview.branchUrl).host }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Make live' }).count(), 0);

  await page.goto(overview);
  await page.getByRole('heading', { name: 'Branch previews' }).waitFor();
  const link = page.getByRole('link', { name: new URL(preview.branchUrl).host });
  assert.equal(await link.getAttribute('href'), preview.branchUrl);
  assert.equal(await titleAt(preview.branchUrl), 'Branch');
  const place = { name: 'branch-previews', path: `/projects/${slug}`, text: 'Branch previews' };
  await look(page, shared(), place);
  await page.getByRole('button', { name: 'Delete the preview of feature/long-name' }).click();
  const question = dialogOf(page);
  await question.getByText('goes offline at once').waitFor();
  await question.getByRole('button', { name: 'Delete' }).click();
  await said(page, 'The preview of feature/long-name is deleted.');
  await dialogClosed(page);
  await page.getByRole('heading', { name: 'Branch previews' }).waitFor({ state: 'detached' });
  assert.equal((await fetchFromSite(`${preview.branchUrl}/`)).status, 404);
  assert.equal(await titleAt(site), 'Live');

  await page.goto(`${overview}/settings/audit`);
  const entries = page.getByRole('main').getByRole('listitem');
  await entries
    .filter({ hasText: 'Deleted the preview of the branch feature/long-name' })
    .waitFor();
});

test('warnings are shown with their places, and what they are of is online', async (t) => {
  const { overview, owner, site, slug } = await withProject(t);
  const { page } = owner;
  const { id } = await deploy(owner, slug, BROKEN_DOCUMENT);
  await page.goto(`${overview}/deploys/${id}`);
  await page.getByRole('heading', { name: '1 warning in openapi.yaml' }).waitFor();
  await page.getByText('It is published all the same.').waitFor();
  const warning = page.getByRole('table').getByRole('row').nth(1);
  await warning.getByText('it is nowhere').waitFor();
  await warning.getByText('GET /pets').waitFor();
  await warning.getByText('structure', { exact: true }).waitFor();
  await warning.getByRole('cell', { name: 'line 10' }).waitFor();
  assert.equal(await titleAt(site), 'Broken');
});

test('a deploy that fails shows each problem with its place, and leaves what is live', async (t) => {
  const { overview, owner, site, slug } = await withProject(t);
  const { page } = owner;
  await owner.call('PATCH', `/projects/${slug}`, { strict: true });
  await deploy(owner, slug, 'Good');
  await page.goto(overview);
  const buffer = Buffer.from(BROKEN_DOCUMENT);
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'broken.yaml', mimeType: 'application/yaml', buffer });
  await page.getByRole('status').getByText('Failed').waitFor();
  const problem = page.getByRole('table').getByRole('row').nth(1);
  await problem.getByText('it is nowhere').waitFor();
  await problem.getByText('GET /pets').waitFor();
  await problem.getByText('parameters › 0 › in', { exact: true }).waitFor();
  await problem.getByTitle('/paths/~1pets/get/parameters/0/in').waitFor();
  await problem.getByRole('cell', { name: 'line 10' }).waitFor();
  await page.getByText('What is live stays live').waitFor();
  await page.getByRole('log').getByText('What is live stays as it was.').waitFor();
  assert.equal(await titleAt(site), 'Good');
});

test('a first deploy that fails is what the overview begins with, and its page takes the next', async (t) => {
  const { overview, owner, site, slug } = await withProject(t);
  const { page } = owner;
  await owner.call('PATCH', `/projects/${slug}`, { strict: true });
  const failed = await deploy(owner, slug, BROKEN_DOCUMENT);
  await page.goto(overview);
  await page.getByRole('alert').getByText('Nothing is live yet.').waitFor();
  assert.equal(await page.getByText('Deploy your first document').count(), 0);
  await page.getByRole('link', { name: 'Deploy #1 failed with 1 problem' }).click();
  await page.waitForURL(`${overview}/deploys/${failed.id}`);
  await page.getByText('Nothing is live yet').waitFor();
  await page.getByText('Fix it and deploy again.').waitFor();
  await page.locator('input[type=file]').setInputFiles(openApiFile('Fixed'));
  await page.getByRole('heading', { name: 'Deploy #2' }).waitFor();
  await page.getByRole('status').getByText('Ready').waitFor();
  assert.equal(await titleAt(site), 'Fixed');
});

test('the default version is chosen on the overview, and another one is retired there', async (t) => {
  const { overview, owner, site, slug } = await withProject(t);
  const { page } = owner;
  await deploy(owner, slug, 'Live');
  await page.goto(overview);
  await page.getByRole('heading', { name: 'Last deploys' }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Versions' }).count(), 0);

  const first = await deploy(owner, slug, 'One', '?version=v1');
  await deploy(owner, slug, 'Two', '?version=v2');
  await page.goto(`${overview}/deploys/${first.id}`);
  await page.getByText('Live as the version v1', { exact: true }).waitFor();
  assert.equal(
    await page.getByRole('link', { name: 'Visit site' }).getAttribute('href'),
    `${site}/v1`,
  );

  await page.goto(overview);
  await page.getByRole('heading', { name: 'Versions' }).waitFor();
  await page.getByText('Without a version').waitFor();
  await page.getByRole('button', { name: 'Make default: v2' }).click();
  await dialogOf(page).getByRole('button', { name: 'Make default' }).click();
  await said(page, 'leads to the version v2.');
  assert.equal((await fetchFromSite(`${site}/`)).headers.location, '/v2');
  await page.getByText('The site’s address leads to v2 in its place.').waitFor();
  const place = { name: 'versions', path: `/projects/${slug}`, text: 'Without a version' };
  await look(page, shared(), place);

  await page.getByRole('button', { name: 'Retire v1' }).click();
  await dialogOf(page).getByRole('button', { name: 'Retire' }).click();
  await said(page, 'The version v1 is retired.');
  assert.equal((await fetchFromSite(`${site}/v1`)).headers.location, '/v2');
  await page.getByRole('button', { name: 'Make default: what has no version' }).click();
  await dialogOf(page).getByRole('button', { name: 'Make default' }).click();
  await page.getByText('Readers find it at the site’s address').waitFor();
  assert.equal(await titleAt(site), 'Live');

  await page.goto(`${overview}/settings/audit`);
  const entries = page.getByRole('main').getByRole('listitem');
  await entries.filter({ hasText: 'Retired the version v1' }).waitFor();
  await entries.filter({ hasText: 'Chose the default version: v2' }).waitFor();
});

test('a deploy that is not to go live waits at its preview address', async (t) => {
  const { overview, owner, site, slug } = await withProject(t);
  const { page } = owner;
  await deploy(owner, slug, 'Good');
  await page.goto(overview);
  await page.getByRole('checkbox').uncheck();
  await page.locator('input[type=file]').setInputFiles(openApiFile('Next'));
  await page.getByText('Ready at its preview address').waitFor();
  const preview = await page.getByRole('link', { name: 'Open preview' }).getAttribute('href');
  assert.equal(await titleAt(preview ?? ''), 'Next');
  assert.equal(await titleAt(site), 'Good');
});

test('a file that cannot be deployed is refused before it is sent', async (t) => {
  const { overview, owner } = await withProject(t);
  const folder = await temporaryFolder(t);
  const { page } = owner;
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  await page.goto(overview);
  // Before that the page does not know what is too large.
  await page.getByText('up to 50.0 MB').waitFor();
  const input = page.locator('input[type=file]');
  const alert = page.getByRole('alert');
  for (const [name, bytes, problem] of [
    ['photo.png', 10, /not of a kind that can be deployed/],
    ['empty.yaml', 0, /is empty/],
    [
      'large.json',
      50_000_001,
      /has 50,000,001 bytes, more than the 50,000,000 bytes that this installation takes/,
    ],
  ] as const) {
    const file = join(folder, name);
    await writeFile(file, Buffer.alloc(bytes, ' '));
    await input.setInputFiles(file);
    await alert.getByText(problem).waitFor();
  }
  assert.deepEqual(sent, []);
});

test('a file is deployed by dropping it', async (t) => {
  const { overview, owner } = await withProject(t);
  const { page } = owner;
  await page.goto(overview);
  const text = openApiFile('Dropped').buffer.toString();
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(text)}], 'dropped.json'));
    return transfer;
  })()`);
  await page
    .getByText('Drop a file here')
    .dispatchEvent('drop', { dataTransfer: transfer } as Record<string, unknown>);
  await page.getByRole('heading', { name: 'Deploy #1' }).waitFor();
  await page.getByText('dropped.json').first().waitFor();
});

test('a folder that is dropped is named as one, with what to do instead', async (t) => {
  const { overview, owner } = await withProject(t);
  const { page } = owner;
  await page.goto(overview);
  // As a browser tells of a folder: a file of its name, and an entry that says what it is.
  const transfer = await page.evaluateHandle(`(() => {
    DataTransferItem.prototype.webkitGetAsEntry = () => ({ name: 'guides', isDirectory: true });
    const transfer = new DataTransfer();
    transfer.items.add(new File([], 'guides'));
    return transfer;
  })()`);
  await page
    .getByText('Drop a file here')
    .dispatchEvent('drop', { dataTransfer: transfer } as Record<string, unknown>);
  await page
    .getByRole('alert')
    .getByText('“guides” is a folder: compress it to a .zip, or use the command line.')
    .waitFor();
});

test('the log comes whole where streams do not hold', async (t) => {
  const { overview, owner } = await withProject(t);
  const { page } = owner;
  // A proxy that knows no streams.
  await page.route('**/log', (route) =>
    route.request().headers().accept === 'text/event-stream'
      ? route.fulfill({ status: 502, body: 'Bad gateway' })
      : route.fallback(),
  );
  await page.goto(overview);
  await page.locator('input[type=file]').setInputFiles(openApiFile('Polled'));
  const log = page.getByRole('log');
  await log.getByText('The build begins.').waitFor();
  await log.getByText('Succeeded, and live.').waitFor();
  await page.getByRole('status').getByText('Ready').waitFor();
});

test('a log that streams stays where its reader scrolled to, and follows again from the end', async (t) => {
  const { overview, owner, slug } = await withProject(t);
  const { page } = owner;
  const { id } = await deploy(owner, slug, 'Good');
  // A build that never ends, told by the address of a real one.
  await page.route(`**/api/**/deploys/${id}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      json: { ...(await response.json()), state: 'building', live: false, finishedAt: null },
    });
  });
  await page.addInitScript(`window.EventSource = class extends EventTarget {
    static CLOSED = 2;
    seq = 0;
    constructor() { super(); window.say = (count) => { for (; count > 0; count -= 1) this.#line(); }; }
    #line() {
      const seq = ++this.seq;
      const line = { seq, at: new Date().toISOString(), level: 'info', message: 'Line ' + seq };
      this.dispatchEvent(new MessageEvent('log', { data: JSON.stringify(line) }));
    }
    close() {}
  }`);
  await page.goto(`${overview}/deploys/${id}`);
  const log = page.getByRole('log');
  const box = `document.querySelector('[role=log]')`;
  // The log is scrolled a moment after its line is there.
  const isAtEnd = () =>
    page.evaluate<boolean>(
      `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 24)(${box})`,
    );
  await log.getByText('Waiting for the first line').waitFor();
  await page.evaluate('say(100)');
  await log.getByText('Line 100', { exact: true }).waitFor();
  await timeUntil(isAtEnd);

  await page.evaluate(`${box}.scrollTop = 0`);
  await page.getByRole('button', { name: 'Follow the end' }).waitFor();
  await page.evaluate('say(50)');
  await log.getByText('Line 150', { exact: true }).waitFor();
  assert.equal(await page.evaluate(`${box}.scrollTop`), 0);

  await page.getByRole('button', { name: 'Follow the end' }).click();
  await page.evaluate('say(50)');
  await log.getByText('Line 200', { exact: true }).waitFor();
  await timeUntil(isAtEnd);
});
