import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import { queueDomainNotice } from '../../server/src/notices/queue-notice.ts';
import type { CreatedWebhook, Webhook } from '../../server/src/notices/webhook.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { createProject } from '../support/project.ts';
import { assertError, json, startService } from '../support/service.ts';
import { until } from './support/delivery.ts';
import { signatureOf, startReceiver, status } from './support/receiver.ts';

const HOOKS = '/api/projects/pets/webhooks';

onBothEngines('a webhook is added, told of what happens, tested, listed and removed', async (t) => {
  const receiver = await startReceiver(t);
  const service = await startService(t, { webhookPrivateAddresses: 'allow' });
  const owner = await service.signUp('ann@example.com');
  await createProject(owner, 'pets');
  const url = `${receiver.url}/very-secret?token=geheim`;
  const made = await json<CreatedWebhook>(await owner.call('POST', HOOKS, { url }), 201);
  assert.match(made.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const { secret, ...webhook } = made;
  const list = async () => (await json<Page<Webhook>>(await owner.call('GET', HOOKS))).items;
  assert.deepEqual(await list(), [webhook]);
  const { sealed_secret } = await service.db
    .selectFrom('webhooks')
    .selectAll()
    .executeTakeFirstOrThrow();
  assert.equal(sealed_secret.includes(secret.slice(6, 20)), false, 'sealed at rest');

  const { id: projectId } = await service.db
    .selectFrom('projects')
    .select('id')
    .executeTakeFirstOrThrow();
  const told = {
    type: 'domain.verified',
    hostname: 'docs.example.com',
    message: 'It is.',
  } as const;
  await service.db
    .transaction()
    .execute((trx) => queueDomainNotice(trx, Date.now(), { ...told, projectId }));
  await until(() => receiver.received.length === 1, 'the notice');
  const tested = await json<Webhook>(await owner.call('POST', `${HOOKS}/${made.id}/test`));
  assert.deepEqual([tested.lastDelivery?.status, tested.lastDelivery?.error], [204, null]);
  const types = receiver.received.map(({ body }) => JSON.parse(body).type);
  assert.deepEqual(types, ['domain.verified', 'webhook.test']);
  for (const got of receiver.received) {
    assert.equal(got.headers['webhook-signature'], signatureOf(secret, got));
    const age = Date.now() / 1_000 - Number(got.headers['webhook-timestamp']);
    assert.ok(age >= 0 && age < 60);
  }

  const removed = await owner.call('DELETE', `${HOOKS}/${made.id}`);
  assert.equal(removed.status, 204);
  assert.deepEqual(await list(), []);
  await assertError(await owner.call('DELETE', `${HOOKS}/${made.id}`), 404, 'not_found');
  await assertError(await owner.call('POST', `${HOOKS}/${made.id}/test`), 404, 'not_found');
  const audit = await json<Page<AuditEntry>>(await owner.call('GET', '/api/projects/pets/audit'));
  const actions = audit.items.map(({ action }) => action);
  assert.deepEqual(actions.slice(0, 2), ['webhook.delete', 'webhook.create']);
  const everywhere = JSON.stringify(audit) + service.logged.join('');
  assert.doesNotMatch(everywhere, /geheim|very-secret|whsec_/);
});

test('a URL that cannot be told anything is refused with the reason', async (t) => {
  const service = await startService(t);
  const owner = await service.signUp('ann@example.com');
  await createProject(owner, 'pets');
  const rows: [url: unknown, message: RegExp][] = [
    ['', /^url must not be empty/],
    [5, /^url must be text/],
    ['example.com', /^url must be an https address/],
    ['http://example.com/', /^url must be an https address/],
    ['ftp://example.com/', /^url must be an https address/],
    ['https://ann:pw@example.com/', /^url must not have a user or password/],
    [
      'https://127.0.0.1/',
      /^url must be reachable from the internet, which 127\.0\.0\.1 is not\. .*DASHBOARD_WEBHOOK_PRIVATE_ADDRESSES/,
    ],
    ['https://2130706433/', /^url must be reachable from the internet/],
    ['https://[::1]:8081/', /^url must be reachable/],
    ['https://localhost/', /^url must be reachable/],
    ['https://169.254.169.254/latest', /^url must be reachable/],
    [`https://example.com/${'x'.repeat(2_048)}`, /^url must be at most 2048 characters/],
  ];
  for (const [url, message] of rows) {
    const answer = await owner.call('POST', HOOKS, { url });
    assert.match(await assertError(answer, 400, 'invalid_request'), message);
  }
  for (let index = 0; index < 5; index++) {
    const url = ` https://EXAMPLE.com/${index}#part`;
    const made = await json<CreatedWebhook>(await owner.call('POST', HOOKS, { url }), 201);
    assert.equal(made.url, `https://example.com/${index}`);
  }
  const sixth = await owner.call('POST', HOOKS, { url: 'https://example.com/' });
  assert.match(await assertError(sixth, 409, 'conflict'), /5 webhooks at most/);
});

test('a test says what is wrong, comes once in five seconds, and switches on again what was off', async (t) => {
  const receiver = await startReceiver(t);
  let now = Date.now();
  const overrides = { webhookPrivateAddresses: 'allow' } as const;
  const service = await startService(t, overrides, { now: () => now });
  const owner = await service.signUp('ann@example.com');
  await createProject(owner, 'pets');
  const { id } = await json<CreatedWebhook>(
    await owner.call('POST', HOOKS, { url: receiver.url }),
    201,
  );
  const ask = () => owner.call('POST', `${HOOKS}/${id}/test`);
  receiver.answer = status(410);
  const gone = await json<Webhook>(await ask());
  assert.notEqual(gone.disabledAt, null);
  assert.equal(gone.lastDelivery?.status, 410);
  const early = await ask();
  assert.equal(early.headers.get('retry-after'), '5');
  await assertError(early, 429, 'rate_limited');
  assert.equal(receiver.received.length, 1);
  now += 5_000;
  receiver.answer = status(500);
  assert.equal(
    (await json<Webhook>(await ask())).lastDelivery?.error,
    'The receiver responded with 500.',
  );
  now += 5_000;
  receiver.answer = status(200);
  const mended = await json<Webhook>(await ask());
  assert.deepEqual([mended.disabledAt, mended.lastDelivery?.error], [null, null]);
  const audit = await json<Page<AuditEntry>>(await owner.call('GET', '/api/projects/pets/audit'));
  const entries = audit.items.map(({ action, actor }) => `${action} by ${actor}`);
  assert.deepEqual(entries.slice(0, 2), [
    'webhook.enable by ann@example.com',
    'webhook.disable by system',
  ]);
});
