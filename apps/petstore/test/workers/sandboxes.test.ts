import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { startWorkers } from '../support/workers.ts';

/** Requests in a row, each on a connection of its own: some reach each of two workers. */
const ENOUGH = 12;

onSharedEngines(
  'whichever worker changes, resets or deletes a sandbox, all of them know at once',
  async (t, engine) => {
    const service = await startWorkers(t, engine, 2);
    const made = await service.ask('/sandboxes', { method: 'POST', body: { seed: 200 } });
    assert.equal(made.status, 201, made.text);
    const { key } = JSON.parse(made.text) as { key: string };
    const ask = (path: string, method = 'GET', body?: object) =>
      service.ask(path, { method, key, ...(body && { body }) });
    const everywhere = async (path: string, expected: RegExp | number) => {
      for (let i = 0; i < ENOUGH; i++) {
        const { status, text } = await ask(path);
        if (typeof expected === 'number') assert.equal(status, expected, text);
        else assert.match(text, expected);
      }
    };
    const done = async (path: string, method: string, body?: object) => {
      const answer = await ask(path, method, body);
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    };
    await everywhere('/pets/1', /"Misty Luna"/);
    await done('/sandbox/snapshots', 'POST', { name: 'before' });
    // Each is read by a worker that has the former state in memory, and mostly by the one that did not write.
    for (let round = 0; round < 3; round++) {
      await done('/pets/1', 'PATCH', { name: `Round ${round}` });
      await everywhere('/pets/1', new RegExp(`"Round ${round}"`));
    }
    // At the same time through both: none is lost, and no id is given twice.
    const pets = await Promise.all(
      Array.from({ length: 40 }, () => ask('/pets', 'POST', { name: 'Rex', categoryId: 1 })),
    );
    assert.ok(
      pets.every(({ status }) => status === 201),
      pets.find(({ status }) => status !== 201)?.text,
    );
    assert.equal(new Set(pets.map(({ text }) => text)).size, 40);
    await everywhere('/pets/90', 200);
    // A key that was used with a worker before is known to the others.
    const once = Array.from({ length: ENOUGH }, () =>
      service.ask('/pets', {
        ...{ method: 'POST', key, body: { name: 'Once', categoryId: 1 } },
        headers: { 'idempotency-key': 'one' },
      }),
    );
    const statuses = (await Promise.all(once)).map(({ status, text }) => `${status} ${text}`);
    const results = new Set(statuses.filter((text) => !text.startsWith('409')));
    assert.equal(results.size, 1, [...results].join('\n'));
    await done('/sandbox/snapshots/before/restore', 'POST');
    await everywhere('/pets/1', /"Misty Luna"/);
    await everywhere('/pets/90', 404);
    await done('/pets/1', 'PATCH', { name: 'Last' });
    await everywhere('/pets/1', /"Last"/);
    await done('/sandbox/reset', 'POST');
    await everywhere('/pets/1', /"Misty Luna"/);
    await done('/sandbox', 'DELETE');
    await everywhere('/pets/1', 401);
  },
);
