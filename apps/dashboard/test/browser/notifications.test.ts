import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readDocument } from '@petstore/test-support/documents.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { DOMAIN_EVENTS } from '../../server/src/notices/event-types.ts';
import { type Received, startReceiver, status } from '../notices/support/receiver.ts';
import { dialogClosed, dialogOf } from '../support/dialog.ts';
import { screenshot, sharedInstallation, withoutRefusals } from '../support/installation.ts';
import { look } from '../support/look.ts';
import { said } from '../support/said.ts';
import { deploy } from '../support/uploads.ts';

const shared = sharedInstallation({
  DASHBOARD_SIGN_UP: 'open',
  DASHBOARD_WEBHOOK_PRIVATE_ADDRESSES: 'allow',
});

type IsGenuine = (headers: IncomingHttpHeaders, body: string, secret: string) => boolean;

/** The function in an example, as whoever copies it has it. */
async function load(t: TestContext, code: string): Promise<IsGenuine> {
  const file = join(await temporaryFolder(t), 'example.mjs');
  await writeFile(file, `${code}\nexport { isGenuine };\n`);
  return ((await import(file)) as { isGenuine: IsGenuine }).isGenuine;
}

test('a webhook is added with its secret, tested, and removed; the examples check its signature', async (t) => {
  const receiver = await startReceiver(t);
  const { host } = new URL(receiver.url);
  const { origin, member } = shared();
  const { page, call, complaints } = await member();
  await call('POST', '/projects', { name: 'Petstore', slug: 'petstore' });
  await page.goto(`${origin}/projects/petstore/settings`);
  await page.getByRole('link', { name: 'Notifications' }).click();
  await page.getByText('No webhooks').waitFor();
  await page.getByText('No e-mail is sent: this installation has no mail server.').waitFor();
  await screenshot(page, 'notifications-empty');

  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByLabel('URL').fill('ftp://example.com/');
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  await page.getByText('Must be an http or https address').waitFor();
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  const secret = await page.getByLabel('secret', { exact: true }).innerText();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await dialogClosed(page);
  await page.getByText('no deliveries yet').waitFor();
  assert.equal((await page.content()).includes(secret), false, 'shown once');

  await page.getByRole('button', { name: `Send test to ${host}` }).click();
  await said(page, `${host} took the test.`);
  await page.getByText('last delivery just now').waitFor();
  const [got] = receiver.received;
  assert.ok(got);
  const onPage = await page.locator('pre code').innerText();
  const documented = /```js\n(.*?isGenuine.*?)```/s.exec(await readDocument('docs/dashboard.md'));
  for (const code of [onPage, documented?.[1] ?? '']) {
    const isGenuine = await load(t, code);
    const { headers, body }: Received = got;
    assert.equal(isGenuine(headers, body, secret), true);
    assert.equal(isGenuine(headers, `${body} `, secret), false);
    assert.equal(isGenuine({ ...headers, 'webhook-id': 'msg_other' }, body, secret), false);
    const old = `${Number(headers['webhook-timestamp']) - 301}`;
    assert.equal(isGenuine({ ...headers, 'webhook-timestamp': old }, body, secret), false);
    const another = `whsec_${Buffer.alloc(32).toString('base64')}`;
    assert.equal(isGenuine(headers, body, another), false);
  }

  await page.getByRole('button', { name: `Remove the webhook to ${host}` }).click();
  await dialogOf(page).getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No webhooks').waitFor();
  assert.deepEqual(withoutRefusals(complaints), []);
});

test('a webhook that failed says why, and one that is off how it is switched on', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = status(410);
  const { host } = new URL(receiver.url);
  const { origin, member } = shared();
  const { page, call } = await member();
  await call('POST', '/projects', { name: 'Petstore', slug: 'pets' });
  await call('POST', '/projects/pets/webhooks', { url: receiver.url });
  await page.goto(`${origin}/projects/pets/settings/notifications`);
  await page.getByRole('button', { name: `Send test to ${host}` }).click();
  await said(page, `${host} did not take the test.`);
  await page.getByText('The receiver says that it is gone for good (410).').first().waitFor();
  await page.getByText('A successful test delivery switches it on again.').waitFor();
  await screenshot(page, 'notifications-off');
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByText('Switched off the webhook').waitFor();
});

test('deliveries are listed with what came back, and sent again; events are chosen', async (t) => {
  const receiver = await startReceiver(t);
  const { host } = new URL(receiver.url);
  const installation = shared();
  const { origin, member } = installation;
  const someone = await member();
  const { page, call, complaints } = someone;
  await call('POST', '/projects', { name: 'Petstore', slug: 'told' });
  const settings = '/projects/told/settings/notifications';
  await page.goto(origin + settings);
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByRole('button', { name: 'None of domains' }).click();
  await page.getByLabel('deploy.succeeded').uncheck();
  await page.getByLabel('api.changed').uncheck();
  await page.getByLabel('quota.reached').uncheck();
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByText('deploy.failed and deploy.live · by').waitFor();

  await page.getByRole('link', { name: receiver.url }).click();
  await page.getByText('Nothing was sent yet').waitFor();
  const path = new URL(page.url()).pathname;
  await look(page, installation, { name: 'webhook-empty', path, text: 'Nothing was sent yet' });

  // It is not tried again by itself while the page is looked at.
  const head = { 'content-type': 'application/json', 'retry-after': '3600' };
  receiver.answer = (response) =>
    response
      .writeHead(503, head)
      .end('{"error":"no such table: deploys <script>alert(1)</script>"}');
  await deploy(someone, 'told', 'Pets');
  await page.reload();
  const row = page.locator('summary', { hasText: 'deploy.live' });
  await row.getByText('Waiting').waitFor();
  await row.getByText('The receiver responded with 503.').waitFor();
  await row.getByText('Next attempt').waitFor();
  await row.click();
  await page.getByText('no such table: deploys <script>').waitFor();
  await page.getByText('"type": "deploy.live"').waitFor();
  const opened = async () => {
    await page.locator('summary', { hasText: 'deploy.live' }).click();
    await page.getByRole('button', { name: 'Send again' }).waitFor();
  };
  await look(page, installation, { name: 'webhook', path, text: 'deploy.live', open: opened });

  receiver.answer = status(204);
  await page.getByRole('button', { name: 'Send again' }).click();
  await said(page, 'deploy.live was delivered.');
  await row.getByText('Delivered').waitFor();
  await page.getByText('The receiver responded with 204.').waitFor();
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  assert.equal(ids.size, 1);
  assert.ok(receiver.received.length >= 2);

  const change = async () => {
    await page.getByRole('button', { name: 'Change' }).click();
    await dialogOf(page).waitFor();
  };
  await look(page, installation, {
    name: 'webhook-events',
    path,
    text: 'deploy.live',
    open: change,
  });
  await page.getByRole('button', { name: 'All of domains' }).click();
  await page.getByLabel('deploy.live').uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await dialogClosed(page);
  await page.getByText('domain.moved_away').waitFor();
  const { items } = await call<{ items: { events: string[] }[] }>('GET', '/projects/told/webhooks');
  const [{ events = [] } = {}] = items;
  assert.deepEqual(events.toSorted(), [...DOMAIN_EVENTS, 'deploy.failed'].toSorted());

  await page.getByRole('button', { name: `Remove the webhook to ${host}` }).click();
  await dialogOf(page).getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No webhooks').waitFor();
  assert.equal(new URL(page.url()).pathname, settings);
  await page.goto(origin + path);
  await page.getByText('No such webhook').first().waitFor();
  assert.deepEqual(withoutRefusals(complaints), []);
});
