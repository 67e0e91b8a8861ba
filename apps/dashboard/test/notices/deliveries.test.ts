import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import type { Delivery, DeliverySummary } from '../../server/src/notices/delivery.ts';
import type { CreatedWebhook, Webhook } from '../../server/src/notices/webhook.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { insertNotices, pruneNotices } from '../../server/src/store/notices.ts';
import { createProject, deploy } from '../support/project.ts';
import { assertError, json, startService } from '../support/service.ts';
import { until } from './support/delivery.ts';
import { type Receiver, signatureOf, startReceiver } from './support/receiver.ts';

const PETS = '/api/projects/pets';

const saying =
  (code: number, text: string): Receiver['answer'] =>
  (response) =>
    response.writeHead(code).end(text);

async function withWebhook(t: TestContext, events: readonly string[] = ['deploy.live']) {
  const receiver = await startReceiver(t);
  // The clock stands still: nothing is tried again by itself meanwhile, however slow the machine is.
  const clock = { now: Date.now() };
  const overrides = { webhookPrivateAddresses: 'allow' } as const;
  const service = await startService(t, overrides, { now: () => clock.now });
  const owner = await service.signUp('ann@example.com');
  await createProject(owner, 'pets');
  const body = { url: receiver.url, events };
  const made = await json<CreatedWebhook>(await owner.call('POST', `${PETS}/webhooks`, body), 201);
  const path = `${PETS}/webhooks/${made.id}`;
  const list = async (query = '') =>
    json<Page<DeliverySummary>>(await owner.call('GET', `${path}/deliveries${query}`));
  return { receiver, service, clock, owner, made, path, list };
}

onBothEngines(
  'a delivery is listed with what came back, and sent again with the same id',
  async (t) => {
    const { receiver, service, clock, owner, made, path, list } = await withWebhook(t);
    assert.deepEqual(await list(), { items: [], nextCursor: null });
    receiver.answer = saying(500, 'no such table: <b>deploys</b>');
    await deploy(owner, 'pets');
    await until(async () => (await list()).items[0]?.error != null, 'the first attempt');
    const [waiting] = (await list()).items;
    assert.ok(waiting);
    const { id } = waiting;
    assert.deepEqual(
      [waiting.type, waiting.state, waiting.status, waiting.error, waiting.deliveredAt],
      ['deploy.live', 'waiting', 500, 'The receiver responded with 500.', null],
    );
    assert.ok(Date.parse(waiting.nextAttemptAt ?? '') >= Date.parse(waiting.createdAt) + 5_000);
    const show = async () => json<Delivery>(await owner.call('GET', `${path}/deliveries/${id}`));
    const shown = await show();
    const [got] = receiver.received;
    assert.equal(shown.body, got?.body);
    assert.equal(shown.id, got?.headers['webhook-id']);
    assert.deepEqual(
      shown.attempts.map(({ status, error, response }) => [status, error, response]),
      [[500, 'The receiver responded with 500.', 'no such table: <b>deploys</b>']],
    );
    const [{ at = '', durationMs = -1 } = {}] = shown.attempts;
    assert.ok(Date.parse(at) >= Date.parse(waiting.createdAt) && durationMs >= 0);

    const again = () => owner.call('POST', `${path}/deliveries/${id}/send`);
    const failed = await json<Delivery>(await again());
    assert.equal(failed.state, 'waiting');
    assert.equal(failed.nextAttemptAt, waiting.nextAttemptAt, 'its time stays');

    receiver.answer = saying(200, 'thanks');
    const taken = await json<Delivery>(await again());
    assert.deepEqual(
      [taken.state, taken.status, taken.error, taken.nextAttemptAt],
      ['delivered', 200, null, null],
    );
    assert.ok(taken.deliveredAt);
    assert.deepEqual(
      taken.attempts.map(({ status, response }) => [status, response]),
      [
        [200, 'thanks'],
        [500, 'no such table: <b>deploys</b>'],
        [500, 'no such table: <b>deploys</b>'],
      ],
    );
    assert.deepEqual(taken, await show());
    assert.equal(receiver.received.length, 3);
    for (const { headers, body } of receiver.received) {
      assert.deepEqual([headers['webhook-id'], body], [id, shown.body]);
    }
    const [, , last] = receiver.received;
    assert.ok(last);
    assert.equal(last.headers['webhook-signature'], signatureOf(made.secret, last));

    clock.now += 1;
    const tested = await json<Webhook>(await owner.call('POST', `${path}/test`));
    assert.equal(tested.lastDelivery?.error, null);
    assert.deepEqual(
      (await list()).items.map(({ type, state }) => `${type} ${state}`),
      ['webhook.test delivered', 'deploy.live delivered'],
    );
    await owner.call('DELETE', path);
    for (const table of ['notices', 'webhook_attempts'] as const) {
      const rows = await service.db.selectFrom(table).selectAll().execute();
      const left = rows.filter((row) => !('email' in row) || row.email === null);
      assert.deepEqual(left, [], `${table} of a removed webhook`);
    }
  },
);

onBothEngines('a webhook that was just switched off is sent nothing that waits', async (t) => {
  const { receiver, service, clock, made, owner, path, list } = await withWebhook(t);
  receiver.answer = saying(410, '');
  await deploy(owner, 'pets');
  await until(async () => (await list()).items[0]?.state === 'failed', 'it is switched off');
  // As by a transaction that had read the webhook before.
  const { id: project_id } = await service.db
    .selectFrom('projects')
    .select('id')
    .executeTakeFirstOrThrow();
  clock.now += 1;
  const late = { id: 'msg_late', type: 'deploy.live', project_id, payload: '{}', email: null };
  await service.db
    .transaction()
    .execute((trx) =>
      insertNotices(trx, [{ ...late, webhook_id: made.id, created_at: clock.now }]),
    );
  const shown = async () => (await list()).items.find(({ id }) => id === late.id);
  await until(async () => (await shown())?.state !== 'waiting', 'it has ended');
  assert.deepEqual(
    [(await shown())?.state, (await shown())?.error, receiver.received.length],
    ['failed', 'The webhook was switched off before this was delivered.', 1],
  );

  receiver.answer = saying(200, 'thanks');
  const sent = await owner.call('POST', `${path}/deliveries/${late.id}/send`);
  assert.equal((await json<Delivery>(sent)).state, 'delivered');
  const [webhook] = (await json<Page<Webhook>>(await owner.call('GET', `${PETS}/webhooks`))).items;
  assert.equal(webhook?.disabledAt, null, 'it is on again');
});

test('deliveries are shown by pages, and to nobody through another webhook', async (t) => {
  const { service, owner, path, list } = await withWebhook(t);
  const [id = ''] = path.split('/').slice(-1);
  const { id: project_id } = await service.db
    .selectFrom('projects')
    .select('id')
    .executeTakeFirstOrThrow();
  const ended = {
    ...{ project_id, webhook_id: id, email: null, type: 'deploy.live', payload: '{}' },
    ...{
      attempts: 1,
      next_attempt_at: null,
      delivered_at: 1,
      last_error: null,
      leased_until: null,
    },
  };
  // Three of the same instant among them.
  const rows = [1, 2, 2, 2, 3].map((created_at, index) => ({
    ...{ ...ended, id: `msg_${index}`, created_at },
  }));
  await service.db.insertInto('notices').values(rows).execute();
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Page<DeliverySummary> = await list(`?limit=2${cursor && `&cursor=${cursor}`}`);
    seen.push(...page.items.map((item) => item.id));
    cursor = page.nextCursor;
  }
  assert.deepEqual(seen, ['msg_4', 'msg_3', 'msg_2', 'msg_1', 'msg_0']);
  for (const bad of ['MQ', 'MSBtc2dfMA%3D', 'eCB5', '%00']) {
    const answer = await owner.call('GET', `${path}/deliveries?cursor=${bad}`);
    await assertError(answer, 400, 'invalid_cursor');
  }

  await createProject(owner, 'other');
  const url = 'http://127.0.0.1:9/';
  const made = await owner.call('POST', '/api/projects/other/webhooks', { url });
  const other = `/api/projects/other/webhooks/${(await json<Webhook>(made, 201)).id}`;
  await assertError(await owner.call('GET', `${other}/deliveries/msg_0`), 404, 'not_found');
  await assertError(await owner.call('POST', `${other}/deliveries/msg_0/send`), 404, 'not_found');
  const elsewhere = `/api/projects/other/webhooks/${id}/deliveries`;
  await assertError(await owner.call('GET', elsewhere), 404, 'not_found');
  await assertError(await owner.call('GET', `${elsewhere}/msg_0`), 404, 'not_found');

  await pruneNotices(service.db, { endedBefore: 0, unsentBefore: 0, keptDeliveries: 2 });
  assert.deepEqual(
    (await list()).items.map((item) => item.id),
    ['msg_4', 'msg_3'],
    'the newest are kept',
  );
});

onBothEngines(
  'what is being sent is not sent twice at once, and one that was given up can be sent again',
  async (t) => {
    const { receiver, owner, service, path, list } = await withWebhook(t);
    const held = Promise.withResolvers<void>();
    receiver.answer = async (response) => {
      await held.promise;
      response.writeHead(410).end();
    };
    await deploy(owner, 'pets');
    await until(() => receiver.received.length === 1, 'it is under way');
    const [delivery] = (await list()).items;
    assert.ok(delivery);
    const send = () => owner.call('POST', `${path}/deliveries/${delivery.id}/send`);
    const refusal = await assertError(await send(), 409, 'conflict');
    assert.equal(refusal, 'This is being sent right now. Look again in a moment.');
    held.resolve();
    const webhook = async () =>
      (await json<Page<Webhook>>(await owner.call('GET', `${PETS}/webhooks`))).items[0];
    await until(async () => (await webhook())?.disabledAt != null, 'switched off');
    assert.equal((await list()).items[0]?.state, 'failed');

    receiver.answer = saying(500, 'not yet');
    assert.equal((await json<Delivery>(await send())).state, 'failed');
    assert.notEqual((await webhook())?.disabledAt, null);
    receiver.answer = saying(204, '');
    assert.equal((await json<Delivery>(await send())).state, 'delivered');
    assert.equal((await webhook())?.disabledAt, null, 'it is on again');
    const audit = await json<Page<AuditEntry>>(await owner.call('GET', `${PETS}/audit`));
    assert.deepEqual(
      audit.items.slice(0, 2).map(({ action, actor }) => `${action} ${actor}`),
      ['webhook.enable ann@example.com', 'webhook.disable system'],
    );

    receiver.answer = saying(500, 'down');
    const after = await json<Delivery>(await send());
    assert.deepEqual([after.state, after.status], ['delivered', 500], 'it was delivered once');
    const answers = [];
    for (let index = 0; index < 10; index++) answers.push(await send());
    const limited = answers.filter(({ status }) => status === 429);
    assert.ok(limited.length > 0 && limited.length < 10, `${limited.length} refused`);
    const { count } = await service.db
      .selectFrom('webhook_attempts')
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    assert.ok(Number(count) <= 20);
  },
);

test('the events of a webhook are chosen, changed and refused with the reason', async (t) => {
  const { owner, path, receiver } = await withWebhook(t, ['domain.lost']);
  const change = (events: unknown) => owner.call('PATCH', path, { events });
  const rows: [events: unknown, message: RegExp][] = [
    [[], /events/],
    [['deploy.exploded'], /events\/0|events\[0\]|events/],
    [['deploy.live', 'deploy.live'], /events/],
    ['deploy.live', /events must be a list/],
  ];
  for (const [events, message] of rows) {
    assert.match(await assertError(await change(events), 400, 'invalid_request'), message);
  }
  await deploy(owner, 'pets');
  const changed = await json<Webhook>(await change(['deploy.live', 'deploy.failed']));
  assert.deepEqual(changed.events, ['deploy.failed', 'deploy.live']);
  await json(await change(['deploy.failed', 'deploy.live']));
  await deploy(owner, 'pets');
  await until(() => receiver.received.length > 0, 'the second deploy');
  assert.match(receiver.received[0]?.body ?? '', /"number":2/);
  const audit = await json<Page<AuditEntry>>(await owner.call('GET', `${PETS}/audit`));
  const updates = audit.items.filter(({ action }) => action === 'webhook.update');
  assert.equal(updates.length, 1, 'the same again is no change');
  const { id: _id, ...details } = updates[0]?.details ?? {};
  assert.deepEqual(details, { added: 'deploy.failed, deploy.live', removed: 'domain.lost' });
  const elsewhere = await owner.call('PATCH', `${PETS}/webhooks/whk_none`, {
    events: ['deploy.live'],
  });
  await assertError(elsewhere, 404, 'not_found');
});
