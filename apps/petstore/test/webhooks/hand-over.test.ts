import assert from 'node:assert/strict';
import { onSharedEngines as test } from '@petstore/test-support/engines.ts';
import { coverNoPrograms, finished } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { openStore } from '../../src/store/open-store.ts';
import { petstore, serve } from '../support/program.ts';
import { Receiver } from '../support/receiver.ts';

coverNoPrograms();

test('a process that stops gives its webhooks back at once, also while a delivery is under way', async (t, engine) => {
  const folder = await temporaryFolder(t);
  const databaseUrl = await engine.createDatabase(t);
  const env = {
    PETSTORE_DATABASE_URL: databaseUrl,
    PETSTORE_WEBHOOK_PRIVATE_ADDRESSES: 'allow',
  };
  const { stdout } = await petstore(folder, ['keys', 'create', '--name', 'x', '--json'], env);
  const { key } = JSON.parse(stdout) as { key: string };
  const program = await serve(t, folder, env);
  const post = async (path: string, body: object) => {
    const response = await fetch(`${program.origin}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 201);
  };
  const receiver = await Receiver.start(t);
  // The second delivery gets no answer.
  receiver.answer = ({ event }) => (event.id === '1' ? 204 : new Promise(() => {}));
  await post('/webhooks', { url: receiver.url });
  await post('/pets', { name: 'Rex', categoryId: 1 });
  await receiver.until((received) => received.length === 1);
  await post('/pets', { name: 'Max', categoryId: 1 });
  await receiver.until((received) => received.length === 2);
  program.child.kill('SIGTERM');
  await finished(program);

  const store = await openStore(databaseUrl);
  try {
    // A lease that had not been given up would go on for seconds.
    const [webhook] = await store.webhooks.acquireLeases('another', { leaseMs: 20_000, most: 10 });
    assert.equal(webhook?.position, 1n);
  } finally {
    await store.close();
  }
});
