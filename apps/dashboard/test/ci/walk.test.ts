import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { dirname } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gitHttpsHost } from '@petstore/test-support/git-hosts/https-host.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { Webhook as Verifier } from 'standardwebhooks';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import type { CreatedWebhook } from '../../server/src/notices/webhook.ts';
import type { RepositoryWebhookSecret } from '../../server/src/repositories/repository.ts';
import { until } from '../notices/support/delivery.ts';
import { startReceiver } from '../notices/support/receiver.ts';
import {
  connect,
  deploysOf,
  gitConfig,
  inState,
  PETS,
  REPOSITORY,
} from '../repositories/support/repositories.ts';
import { json, type Visitor } from '../support/service.ts';
import { OLD, petsOnGithub } from './support/pets-on-github.ts';
import { cannotRun } from './support/tools.ts';

const WITHOUT_NAME = OLD.replace('required: [name]', 'required: [id]').replace('name:', 'id:');
const SENTENCE =
  'Property name of response 200 (application/json) was removed, and was always there.';

/** The text of a page's source: without elements, and what is escaped as it is read. */
const textOf = (source: string) =>
  source
    .replace(/<[^>]*>/g, '')
    .replaceAll('`', '')
    .replaceAll('&#x27;', "'")
    .replace(/\s+/g, ' ');

/** A receiver of the webhooks of the project `pets`; what it is told by an event, verified by the official library. */
async function listen(t: TestContext, owner: Visitor, events: readonly string[]) {
  const receiver = await startReceiver(t);
  const body = { url: receiver.url, events };
  const { secret } = await json<CreatedWebhook>(
    await owner.call('POST', `${PETS}/webhooks`, body),
    201,
  );
  const verifier = new Verifier(secret);
  return () =>
    receiver.received.map(
      (one) =>
        verifier.verify(one.body, one.headers as Record<string, string>) as {
          readonly type: string;
          readonly data: Readonly<Record<string, unknown>>;
        },
    );
}

/** What GitHub sends to a webhook when a branch has changed. */
async function sendPush(origin: string, { url, secret }: RepositoryWebhookSecret, after: string) {
  const body = JSON.stringify({ ref: 'refs/heads/main', after });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return fetch(`${origin}${new URL(url).pathname}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      'x-hub-signature-256': `sha256=${signature}`,
    },
    body,
  });
}

test('a member that a pull request removes from a response: its preview, its comment, held back when it is merged, confirmed by an owner, told to readers and receivers', {
  skip: cannotRun,
}, async (t) => {
  // The repository, at its host.
  const folder = await temporaryFolder(t);
  const host = await gitHttpsHost(t, folder);
  const { service, owner, github, repository, pullRequest, page } = await petsOnGithub(
    t,
    { 'openapi.yaml': OLD },
    { ...gitConfig(host.caFile), webhookPrivateAddresses: 'allow' },
    folder,
  );
  const path = repository.origin.slice(dirname(repository.origin).length);
  // Its pull requests have their previews from the action.
  await connect(owner, { url: `${host.origin}${path}`, provider: 'github', previews: false });
  await inState(owner, 'ok');
  const site = service.addresses.site('pets');
  assert.match((await page(site, '/openapi.json')).text, /"name"/);
  assert.equal((await page(site, '/changelog')).status, 404);
  const webhook = await json<RepositoryWebhookSecret>(
    await owner.call('POST', `${REPOSITORY}/webhook-secret`),
    201,
  );
  await json(await owner.call('PATCH', PETS, { holdBreaking: true }));
  const told = await listen(t, owner, ['deploy.live', 'api.changed']);

  // The pull request.
  await repository.commit('rename', { 'openapi.yaml': WITHOUT_NAME });
  const run = await pullRequest({ branch: 'rename', action: 'opened' });
  assert.ok(run.succeeded, run.log);
  const { url: preview = '' } = run.outputs;
  assert.equal(run.outputs.breaking, '1');
  assert.doesNotMatch((await page(preview, '/openapi.json')).text, /"name"/);
  assert.match((await page(site, '/openapi.json')).text, /"name"/, 'the live site is as it was');
  assert.equal(github.comments.length, 1);
  const { body: comment = '' } = github.comments[0] ?? {};
  assert.ok(comment.includes(`**Preview:** ${preview}`), comment);
  assert.ok(textOf(comment).includes(SENTENCE), comment);

  // It is merged, and the host says so.
  const merged = await repository.commit('main', { 'openapi.yaml': WITHOUT_NAME });
  assert.equal((await sendPush(service.origin, webhook, merged)).status, 200);
  const { state, branches } = await inState(owner, 'held');
  assert.match(state.message, /1 breaking change/);
  assert.equal(branches[0]?.commit, merged);
  const held = (await deploysOf(owner)).find(
    ({ commit, branch }) => !branch && commit?.hash === merged,
  );
  assert.deepEqual([held?.live, held?.held?.reason], [false, 'breaking']);
  assert.match((await page(site, '/openapi.json')).text, /"name"/, 'its readers see nothing of it');
  assert.deepEqual(told(), []);

  // An owner confirms it.
  const activate = `${PETS}/deploys/${held?.id}/activate`;
  const reason = encodeURIComponent('All who use it were asked.');
  const live = await json<Deploy>(await owner.call('POST', `${activate}?allow-breaking=${reason}`));
  assert.deepEqual([live.live, live.held], [true, null]);
  await inState(owner, 'ok');
  assert.doesNotMatch((await page(site, '/openapi.json')).text, /"name"/);

  // Its readers are told, with a link to the operation that leads somewhere, and in feeds.
  const changelog = (await page(site, '/changelog')).text;
  assert.ok(textOf(changelog).includes(SENTENCE), changelog);
  assert.doesNotMatch(changelog, /All who use it were asked/);
  const operation = /href="(\/reference\/[^"#]*listPets)"/.exec(changelog)?.[1] ?? '';
  const reference = await page(site, operation);
  assert.equal(reference.status, 200, `the link ${operation}`);
  assert.match(textOf(reference.text), /Changed/);
  const feed = JSON.parse((await page(site, '/changelog/feed.json')).text);
  assert.equal(feed.version, 'https://jsonfeed.org/version/1.1');
  assert.equal(feed.items.length, 1);
  assert.ok(textOf(feed.items[0].content_html).includes(SENTENCE), feed.items[0].content_html);
  const atom = (await page(site, '/changelog/atom.xml')).text;
  assert.match(atom, /<entry>[\s\S]*was removed, and was always there/);

  // Receivers are told.
  await until(() => told().length >= 2, 'what receivers are told');
  const messages = told();
  assert.deepEqual(messages.map(({ type }) => type).sort(), ['api.changed', 'deploy.live']);
  const changed = messages.find(({ type }) => type === 'api.changed')?.data;
  assert.deepEqual(changed?.summary, { breaking: 1, risky: 0, compatible: 1, documentation: 0 });
  const [first] = changed.changes as readonly { code: string; operation: string }[];
  assert.deepEqual(
    [first?.code, first?.operation],
    ['response-required-property-removed', 'GET /pets'],
  );
});
