import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextRound } from 'node:timers/promises';
import { resetConnection } from '@petstore/http/reset-connection.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';

const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve));

/** When a connection is reset, after its end was begun: each lets Node come a little further with it. */
const MOMENTS: Record<string, () => Promise<void> | undefined> = {
  'at once': () => undefined,
  'after a tick': nextTick,
  'after two ticks': () => nextTick().then(nextTick),
  'in the next round': () => nextRound(),
};

/** A connection's two ends, of which `near` says what became of it. */
async function connection(t: TestContext) {
  const server = createServer().listen(0, '127.0.0.1');
  cleanUp(t, () => server.close());
  await once(server, 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[far]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [
    [Socket],
    unknown,
  ];
  cleanUp(t, () => far.destroy());
  const errors: unknown[] = [];
  near.on('error', (error) => errors.push(error));
  far.on('error', () => undefined);
  return { near, far, errors };
}

for (const [when, pass] of Object.entries(MOMENTS))
  for (const text of ['', 'the end'])
    test(`a connection whose end is under way is reset ${when}, ${text ? 'with' : 'without'} a last text`, async (t) => {
      const { near, far, errors } = await connection(t);
      const gone = [once(near, 'close'), once(far, 'close')];
      near.end(text);
      await pass();
      resetConnection(near);
      far.resume();
      await Promise.all(gone);
      assert.deepEqual(errors, []);
    });

test('a connection that is open, and one whose other end takes nothing more, are reset at once', async (t) => {
  const open = await connection(t);
  const reset = once(open.far, 'error');
  resetConnection(open.near);
  assert.equal((await reset)[0].code, 'ECONNRESET');

  const full = await connection(t);
  full.near.end(Buffer.alloc(100_000_000));
  await nextRound();
  const gone = once(full.near, 'close');
  resetConnection(full.near);
  await gone;
  assert.deepEqual(full.errors, []);
});
