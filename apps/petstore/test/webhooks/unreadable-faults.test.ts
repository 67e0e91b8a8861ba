import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeUntil } from '@petstore/test-support/within.ts';
import { openStore } from '../../src/store/open-store.ts';
import { Receiver } from '../support/receiver.ts';
import { startWithSandbox } from '../support/sandbox.ts';

test('an event of a sandbox whose fault rules cannot be read at first is sent, before the next of its animal', async (t) => {
  const store = await openStore('sqlite::memory:');
  const config = { webhookPrivateAddresses: 'allow', sandboxes: 'open' } as const;
  const { inSandbox, logged } = await startWithSandbox(t, { store, config, pets: 0 });
  const receiver = await Receiver.start(t);
  const made = await inSandbox('/webhooks', {
    method: 'POST',
    body: JSON.stringify({ url: receiver.url }),
  });
  assert.equal(made.status, 201);
  const { id } = (await made.json()) as { id: string };
  const rules = t.mock.method(store.faults, 'rules');
  rules.mock.mockImplementationOnce(() => Promise.reject(new Error('The disk is away.')));
  const body = '{"name":"Rex","categoryId":1}';
  assert.equal((await inSandbox('/pets', { method: 'POST', body })).status, 201);
  await timeUntil(async () => rules.mock.callCount() > 0);
  const changed = await inSandbox('/pets/1', {
    method: 'PATCH',
    body: '{"name":"Max"}',
    headers: { 'content-type': 'application/merge-patch+json' },
  });
  assert.equal(changed.status, 200);
  await timeUntil(async () => receiver.received.length === 2);
  assert.deepEqual(receiver.ids(), ['1', '2']);
  await timeUntil(async () => {
    const shown = (await (await inSandbox(`/webhooks/${id}`)).json()) as { lastEventId: string };
    return shown.lastEventId === '2';
  });
  assert.match(logged.join(''), /The disk is away/);
});
