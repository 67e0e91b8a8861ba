import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { StoredDelivery } from '../../src/webhooks/webhook.ts';
import { addSandbox } from '../support/sandboxes.ts';

// On PostgreSQL one process may write down a delivery while another deletes its webhook.

const DELIVERY: StoredDelivery = {
  ...{ eventId: 1n, animal: '1', event: '{}', state: 'waiting', attempts: [], nextAt: null },
};

/** A webhook of a sandbox, and another process in the middle of a transaction. */
async function withOther(t: TestContext) {
  const url = await (await sharedServer()).createDatabase();
  const raw = connectTo(url);
  cleanUp(t, () => raw.end());
  const store = await openStore(url);
  cleanUp(t, () => store.close());
  await addSandbox(store, { id: 'a' });
  const webhook = {
    ...{ id: 'wh_1', store: 'a', url: 'https://example.com', events: [], secret: 'whsec_eA==' },
    ...{ oldSecret: null, oldSecretUntil: null, createdAt: 0, disabledAt: null },
    ...{ disabledReason: null, position: 0n, failures: 0, failingSince: null, nextAt: null },
    ...{ lastError: null, recent: [], asked: 0n },
  };
  await store.webhooks.add(webhook, { most: 10, mostOfStore: 10 });
  await store.webhooks.acquireLeases('me', { leaseMs: 600_000, most: 10 });
  await raw`BEGIN`;
  /** Ends the transaction of the other process when `work` waits for it, or has not waited and is done. */
  const meanwhile = async (work: () => Promise<unknown>) => {
    let isDone = false;
    const working = work().finally(() => {
      isDone = true;
    });
    await timeUntil(async () => {
      const waiting = await raw`
        SELECT FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid`;
      return isDone || waiting.length > 0;
    });
    await raw`COMMIT`;
    await working;
  };
  return { raw, ...store, meanwhile };
}

test('a delivery that is written down while its webhook is deleted is gone with it', async (t) => {
  const { raw, webhooks, meanwhile } = await withOther(t);
  await raw`DELETE FROM webhooks`;
  await raw`DELETE FROM webhook_deliveries`;
  const saved = { webhookId: 'wh_1', asked: 0n, delivery: DELIVERY };
  await meanwhile(() => webhooks.save('me', [], [saved], 10));
  assert.deepEqual(await webhooks.deliveries('wh_1', 10n, 10), []);
});

test('one that is sent again meanwhile is so as well', async (t) => {
  const { raw, webhooks, meanwhile } = await withOther(t);
  await raw`DELETE FROM webhooks`;
  await raw`DELETE FROM webhook_deliveries`;
  await meanwhile(() => webhooks.redeliver('wh_1', DELIVERY, 10));
  assert.deepEqual(await webhooks.deliveries('wh_1', 10n, 10), []);
});

test('whoever deletes a webhook, or its sandbox, waits for what is written down', async (t) => {
  for (const kind of ['webhook', 'sandbox']) {
    const { raw, webhooks, sandboxes, meanwhile } = await withOther(t);
    await raw`SELECT id FROM webhooks FOR UPDATE`;
    await raw`
      INSERT INTO webhook_deliveries (webhook_id, event_id, animal, event, state, attempts)
      VALUES ('wh_1', 1, '1', '{}', 'waiting', '[]')`;
    await meanwhile(() =>
      kind === 'webhook' ? webhooks.remove('a', 'wh_1') : sandboxes.remove('a'),
    );
    assert.deepEqual(await webhooks.deliveries('wh_1', 10n, 10), [], kind);
  }
});
