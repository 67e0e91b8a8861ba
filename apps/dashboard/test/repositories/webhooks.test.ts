import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { WITHOUT_GIT } from '@petstore/test-support/git-hosts/requirements.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { sql } from 'kysely';
import { documentTitled } from '../support/project.ts';
import { assertError, json } from '../support/service.ts';
import {
  connect,
  deploysOf,
  inState,
  readRepository,
  startGitWorld,
} from './support/repositories.ts';
import { hmac, makeSecret, PUSHES, send, standardHeaders } from './support/signed.ts';

const skip = WITHOUT_GIT;

/** What a host says of a push; nothing of it is believed. */
const bodyOf = (commit: string) =>
  JSON.stringify({ ref: 'refs/heads/evil', after: commit, repository: { url: 'http://x' } });

onBothEngines(
  'a push is deployed at once when a webhook says so, and asked for once',
  async (t) => {
    const { host, pets, root, url } = await startGitWorld(t);
    await connect(root, { url });
    await inState(root, 'ok');
    const { url: address, secret } = await makeSecret(root);
    assert.match(secret, /^whsec_/);
    const head = pets.commit({ 'openapi.json': documentTitled('Pushed') });
    const body = bodyOf('f'.repeat(40));
    const headers = PUSHES.GitHub?.(secret, body) ?? {};
    await json(await send(address, body, headers));
    await timeUntil(async () => (await deploysOf(root))[0]?.commit?.hash === head);
    const repository = await inState(root, 'ok');
    assert.ok(repository.webhook.lastDeliveredAt);
    assert.equal(repository.webhook.lastProblem, null);
    // The same again, under another id, which no signature covers: it has no effect.
    const asked = host.requests.length;
    for (const id of ['x-github-delivery', 'x-request-id']) {
      const again = await send(address, body, { ...headers, [id]: crypto.randomUUID() });
      assert.match((await json<{ message: string }>(again)).message, /came before/);
    }
    assert.equal((await readRepository(root)).lastCheckedAt, repository.lastCheckedAt);
    assert.equal(host.requests.length, asked);
  },
  { skip },
);

test('a webhook that failed here has not come before', { skip }, async (t) => {
  const { pets, root, service, url } = await startGitWorld(t);
  await connect(root, { url });
  await inState(root, 'ok');
  const { url: address, secret } = await makeSecret(root);
  const head = pets.commit({ 'openapi.json': documentTitled('Pushed') });
  const body = bodyOf(head);
  const push = () => send(address, body, PUSHES.GitHub?.(secret, body) ?? {});
  await sql`CREATE TRIGGER full BEFORE UPDATE OF webhook_delivered_at ON repositories
    BEGIN SELECT RAISE(ABORT, 'no space'); END`.execute(service.db);
  assert.equal((await push()).status, 500);
  await sql`DROP TRIGGER full`.execute(service.db);
  assert.match((await json<{ message: string }>(await push())).message, /asked for new commits/);
  await timeUntil(async () => (await deploysOf(root))[0]?.commit?.hash === head);
  assert.match((await json<{ message: string }>(await push())).message, /came before/);
});

test('webhooks of every host are verified, whatever they say and however they say it', {
  skip,
}, async (t) => {
  const { root, service, url } = await startGitWorld(t);
  await connect(root, { url });
  const { url: address, secret } = await makeSecret(root);
  for (const [name, headersOf] of Object.entries(PUSHES)) {
    const body = bodyOf(crypto.randomUUID());
    const good = headersOf(secret, body);
    const taken = await json<{ message: string }>(await send(address, body, good));
    assert.match(taken.message, /asked for new commits/, name);
    const form = `payload=${encodeURIComponent(body)}`;
    const asForm = headersOf(secret, form);
    await json(await send(address, form, asForm, 'application/x-www-form-urlencoded'));

    const wrong = headersOf('whsec_bm90IHRoZSBzZWNyZXQ=', body);
    const refused = await assertError(await send(address, body, wrong), 401, 'unauthorized');
    assert.match(refused, /signature is missing or wrong/, name);
    assert.equal((await readRepository(root)).webhook.lastProblem?.code, 'webhook_bad_signature');
    // Not the token, which is all that GitLab sends by it.
    if (!name.includes('its token'))
      assert.equal((await send(address, `${body} `, good)).status, 401, `${name}, another body`);
    await json(await send(address, 'x', headersOf(secret, 'x')));
    assert.equal((await readRepository(root)).webhook.lastProblem, null, name);
    await service.db.deleteFrom('repository_deliveries').execute();
    await service.db.deleteFrom('sign_in_failures').execute();
  }
});

test('without the right signature nothing happens, and the page says so', { skip }, async (t) => {
  const { root, service, url } = await startGitWorld(t);
  await connect(root, { url });
  const address = (await readRepository(root)).webhook.url;
  // There is no secret yet: an empty one is none.
  for (const key of ['', 'whsec_', 'null', 'undefined']) {
    const headers = { 'x-hub-signature-256': `sha256=${hmac(key, '{}').digest('hex')}` };
    assert.equal((await send(address, '{}', headers)).status, 401);
    assert.equal((await send(address, '{}', { 'x-gitlab-token': key })).status, 401);
  }
  const { secret } = await makeSecret(root);
  const at = Date.now() - 6 * 60_000;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const odd: Record<string, string>[] = [
    {},
    { 'x-hub-signature-256': 'sha256=' },
    { 'x-hub-signature-256': `sha256=${'0'.repeat(63)}` },
    { 'x-gitea-signature': 'zz' },
    { 'webhook-signature': 'v1,', 'webhook-id': 'a', 'webhook-timestamp': '1' },
    { ...standardHeaders(key, '{}', { at }) },
    { ...standardHeaders(key, '{}', { id: '' }) },
  ];
  for (const headers of odd)
    assert.equal((await send(address, '{}', headers)).status, 401, JSON.stringify(headers));
  const { webhook } = await readRepository(root);
  assert.equal(webhook.lastProblem?.code, 'webhook_bad_signature');
  assert.match(webhook.lastProblem.remedy, /secret/);
  assert.equal(webhook.lastDeliveredAt, null);
  const nowhere = `${service.origin}/api/git/rep_aaaaaaaaaaaaaaaaaaaaaaaaaa`;
  await assertError(await send(nowhere, '{}', {}), 404, 'not_found');
  // A new secret: the one before opens nothing any more.
  await makeSecret(root);
  assert.equal((await send(address, '{}', PUSHES.GitHub?.(secret, '{}') ?? {})).status, 401);
});

test('a ping is answered, other events are ignored, and a flood is slowed down', {
  skip,
}, async (t) => {
  const { host, root, url } = await startGitWorld(t);
  await connect(root, { url });
  await inState(root, 'ok');
  const { url: address, secret } = await makeSecret(root);
  const asked = host.requests.length;
  for (const event of ['ping', 'issues', 'star']) {
    const headers = { ...PUSHES.GitHub?.(secret, '{}'), 'x-github-event': event };
    await json(await send(address, '{}', headers));
  }
  assert.equal(host.requests.length, asked, 'the host was not asked');
  const large = Buffer.alloc(26_000_000, 'x').toString();
  const tooLarge = await send(address, large, PUSHES.GitHub?.(secret, large) ?? {});
  await assertError(tooLarge, 413, 'payload_too_large');
  let status = 0;
  for (let sent = 0; sent < 200 && status !== 429; sent += 1)
    ({ status } = await send(address, '{}', {}));
  assert.equal(status, 429);
});
