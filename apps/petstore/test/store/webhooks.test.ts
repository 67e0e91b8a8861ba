import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { type Engine, onEveryEngine as test } from '@petstore/test-support/engines.ts';
import { openStore } from '../../src/store/open-store.ts';
import { OWN_STORE } from '../../src/store/own-store.ts';
import type { WebhookStore } from '../../src/store/webhooks/webhook-store.ts';
import type { StoredDelivery, StoredWebhook } from '../../src/webhooks/webhook.ts';

// Whose webhooks are: what a process may send, and may store of it.

const LEASE = { leaseMs: 60_000, most: 10 };

const webhook = (id: string): StoredWebhook => ({
  ...{ id, store: OWN_STORE, url: 'https://example.com/', secret: `whsec_${'A'.repeat(32)}` },
  ...{ events: [], recent: [], asked: 0n, createdAt: 1, position: 0n },
  ...{ oldSecret: null, oldSecretUntil: null, disabledAt: null, disabledReason: null },
  ...{ failures: 0, failingSince: null, nextAt: null, lastError: null },
});

const delivery: StoredDelivery = {
  ...{ eventId: 1n, animal: '1', event: '{"id":"1","type":"pet.created","data":{"id":1}}' },
  ...{ state: 'waiting', attempts: [], nextAt: 1 },
};

async function withWebhooks(t: TestContext, engine: Engine, ids: readonly string[]) {
  const store = await openStore(await engine.createDatabase(t));
  cleanUp(t, () => store.close());
  const { webhooks } = store;
  for (const id of ids) {
    assert.equal(await webhooks.add(webhook(id), { most: 10, mostOfStore: 10 }), 'added');
  }
  const claimed = async (owner: string, most = 10) =>
    (await webhooks.acquireLeases(owner, { ...LEASE, most })).map(({ id }) => id).sort();
  return { webhooks, claimed };
}

/** What a process stores that has delivered an event of the webhook, and failed with the next one. */
async function deliverAs(owner: string, webhooks: WebhookStore, id: string): Promise<Set<string>> {
  const progress = { ...webhook(id), position: 5n, failures: 1, lastError: 'No response.' };
  return webhooks.save(owner, [progress], [{ webhookId: id, asked: 0n, delivery }], 10);
}

test('a webhook is of one process, which alone stores what became of it', async (t, engine) => {
  const { webhooks, claimed } = await withWebhooks(t, engine, ['wh_a', 'wh_b', 'wh_c']);
  assert.deepEqual(await claimed('one', 2), ['wh_a', 'wh_b']);
  assert.deepEqual(await claimed('two'), ['wh_c']);
  assert.deepEqual(await claimed('one'), ['wh_a', 'wh_b']);
  await deliverAs('two', webhooks, 'wh_a');
  assert.equal((await webhooks.get(OWN_STORE, 'wh_a'))?.position, 0n);
  assert.deepEqual(await webhooks.waiting('wh_a'), []);
  await deliverAs('one', webhooks, 'wh_a');
  assert.equal((await webhooks.get(OWN_STORE, 'wh_a'))?.position, 5n);
  assert.deepEqual(await webhooks.waiting('wh_a'), [delivery]);
  await webhooks.release('one');
  assert.deepEqual(await claimed('two'), ['wh_a', 'wh_b', 'wh_c']);
});

test('one that is disabled is claimed by nobody, and its process does not enable it again', async (t, engine) => {
  const { webhooks, claimed } = await withWebhooks(t, engine, ['wh_a', 'wh_b']);
  assert.deepEqual(await claimed('one'), ['wh_a', 'wh_b']);
  await webhooks.update(OWN_STORE, 'wh_a', { disabled: { at: 7, reason: 'Enough.' } });
  await deliverAs('one', webhooks, 'wh_a');
  const { disabledAt, position } = (await webhooks.get(OWN_STORE, 'wh_a')) ?? {};
  assert.deepEqual([disabledAt, position], [7, 0n]);
  assert.deepEqual(await webhooks.waiting('wh_a'), []);
  assert.deepEqual(await claimed('one'), ['wh_b']);
  assert.deepEqual(await claimed('two'), []);
  await webhooks.release('one');
  assert.deepEqual(await claimed('two', 1), ['wh_b'], 'it takes no place of another one');
  await webhooks.update(OWN_STORE, 'wh_a', { disabled: null });
  assert.deepEqual(await claimed('two'), ['wh_a', 'wh_b']);
});

test('what a process has not heard of is not overwritten by what it stores', async (t, engine) => {
  const { webhooks, claimed } = await withWebhooks(t, engine, ['wh_a', 'wh_b']);
  assert.deepEqual(await claimed('one'), ['wh_a', 'wh_b']);
  assert.deepEqual([...(await deliverAs('one', webhooks, 'wh_a'))], ['wh_a']);
  const asked = { ...delivery, nextAt: 7 };
  assert.equal(await webhooks.redeliver('wh_a', asked, 10), true);
  assert.deepEqual([...(await deliverAs('one', webhooks, 'wh_a'))], []);
  assert.deepEqual(await webhooks.waiting('wh_a'), [asked]);
  // It is enabled though it is failing.
  await deliverAs('one', webhooks, 'wh_b');
  await webhooks.update(OWN_STORE, 'wh_b', { disabled: null });
  assert.deepEqual(await claimed('one'), ['wh_a', 'wh_b']);
  assert.deepEqual([...(await deliverAs('one', webhooks, 'wh_b'))], []);
  assert.equal((await webhooks.get(OWN_STORE, 'wh_b'))?.failures, 0);
});

test('one that was deleted is claimed by nobody, and nothing of it is stored', async (t, engine) => {
  const { webhooks, claimed } = await withWebhooks(t, engine, ['wh_a', 'wh_b']);
  assert.deepEqual(await claimed('one'), ['wh_a', 'wh_b']);
  await deliverAs('one', webhooks, 'wh_a');
  assert.equal(await webhooks.remove('another', 'wh_a'), false);
  assert.deepEqual(await webhooks.waiting('wh_a'), [delivery]);
  assert.equal(await webhooks.remove(OWN_STORE, 'wh_a'), true);
  assert.deepEqual(await webhooks.deliveries('wh_a', 100n, 10), []);
  await deliverAs('one', webhooks, 'wh_a');
  assert.equal(await webhooks.redeliver('wh_a', delivery, 10), false);
  assert.deepEqual(await webhooks.deliveries('wh_a', 100n, 10), []);
  assert.deepEqual(await claimed('one'), ['wh_b']);
  assert.deepEqual(await claimed('two'), []);
});
