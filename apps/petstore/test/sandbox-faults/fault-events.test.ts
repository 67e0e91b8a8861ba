import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timesToDeliver } from '../../src/faults/event-faults.ts';
import { startWithSandbox } from '../support/sandbox.ts';

test('events are lost or told twice, on a page, in a stream and to webhooks, and the log stays right', async (t) => {
  const { inSandbox, store } = await startWithSandbox(t);
  for (let made = 1; made <= 20; made++) {
    await inSandbox('/pets', { method: 'POST', body: '{"name":"Rex","categoryId":1}' });
  }
  const page = async (fault?: string) => {
    const response = await inSandbox('/events?limit=100', fault === undefined ? {} : { fault });
    const events = (await response.json()) as { id: string }[];
    return {
      ids: events.map(({ id }) => Number(id)),
      applied: response.headers.get('petstore-fault-applied'),
    };
  };
  const { ids } = await page();
  assert.equal(ids.length, 20);
  assert.deepEqual(await page('events=lost'), { ids: [], applied: 'events=lost' });
  const twice = ids.flatMap((id) => [id, id]);
  assert.deepEqual((await page('events=duplicate')).ids, twice);
  const some = (await page('events=lost;rate=0.5;seed=3')).ids;
  assert.ok(some.length > 3 && some.length < 17, `${some}`);
  assert.deepEqual((await page('events=lost;rate=0.5;seed=3')).ids, some, 'the same ones again');

  for (const [accept, pattern] of [
    ['text/event-stream', /^id: (\d+)$/gm],
    ['application/jsonl', /^\{"id":"(\d+)"/gm],
  ] as const) {
    const response = await inSandbox('/events', {
      fault: 'events=lost;rate=0.5;seed=3',
      headers: { accept },
    });
    assert.equal(response.headers.get('petstore-fault-applied'), 'events=lost');
    let text = '';
    const found = () => Array.from(text.matchAll(pattern), ([, id]) => Number(id));
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (found().length >= some.length) break;
    }
    assert.deepEqual(found(), some, accept);
  }

  const rule = { fault: 'events=lost;rate=0.5;seed=3', operations: ['deliverEvent'], times: 15 };
  await inSandbox('/faults', { method: 'PUT', body: JSON.stringify([rule]) });
  const [sandbox] = await store.sandboxes.list();
  assert.ok(sandbox);
  const delivered: number[] = [];
  for (const id of ids) {
    if ((await timesToDeliver(store.faults, sandbox.id, id)) === 1) delivered.push(id);
  }
  assert.deepEqual(
    delivered,
    ids.filter((id) => id > 15 || some.includes(id)),
  );
  assert.equal((await page()).ids.length, 20);
});
