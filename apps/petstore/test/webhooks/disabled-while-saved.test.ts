import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeUntil } from '@petstore/test-support/within.ts';
import { openStore } from '../../src/store/open-store.ts';
import { readMetrics } from '../support/metrics.ts';
import { Receiver } from '../support/receiver.ts';
import { startService } from '../support/service.ts';

test('a webhook whose receiver is gone while what came before is stored gets the event once, and is disabled once', async (t) => {
  const store = await openStore('sqlite::memory:');
  const service = await startService(t, { store, config: { webhookPrivateAddresses: 'allow' } });
  const value = async (name: string, labels: Record<string, string> = {}) =>
    (await readMetrics(service.origin)).value(name, labels) ?? 0;
  const receiver = await Receiver.start(t);
  const { promise: isSaving, resolve: saving } = Promise.withResolvers<void>();
  receiver.answer = async () => {
    await isSaving;
    return 410;
  };
  const { save } = store.webhooks;
  t.mock.method(store.webhooks, 'save', async (...changes: Parameters<typeof save>) => {
    if (changes[1].length > 0) {
      await receiver.until(({ length }) => length > 0);
      saving();
      // It was told that the delivery has failed.
      await timeUntil(
        async () => (await value('petstore_webhook_attempts_total', { outcome: 'failed' })) > 0,
      );
    }
    return save.call(store.webhooks, ...changes);
  });

  const made = await service.post('/webhooks', JSON.stringify({ url: receiver.url }));
  const { id } = (await made.json()) as { id: string };
  await service.post('/pets', '{"name":"Rex","categoryId":1}');
  await timeUntil(async () => {
    const shown = await (await service.get(`/webhooks/${id}`)).json();
    return (shown as { state: string }).state === 'disabled';
  });
  assert.deepEqual(receiver.ids(), ['1']);
  await timeUntil(async () => (await value('petstore_webhook_disabled_total')) > 0);
  assert.equal(await value('petstore_webhook_disabled_total'), 1);
});
