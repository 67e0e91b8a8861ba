import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startWithSandbox } from '../support/sandbox.ts';

test('events are lost or told twice, on a page and in a stream, and the log stays right', async (t) => {
  const { inSandbox } = await startWithSandbox(t);
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

  assert.equal((await page()).ids.length, 20);
});
