import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { Silence, SilentError } from '../../src/store/postgres/replicas/silence.ts';

const LIMIT_MS = 100;

test('slow work waits for its outcome while other work ends, and is given up when nothing does', async (t) => {
  // What is watched keeps a process alive. Work that never ends does not.
  const alive = setInterval(() => undefined, LIMIT_MS);
  cleanUp(t, () => clearInterval(alive));
  const silence = new Silence(LIMIT_MS);
  const { promise, resolve } = Promise.withResolvers<string>();
  const slow = silence.unlessSilent(promise);
  const begun = performance.now();
  while (performance.now() < begun + 3 * LIMIT_MS) await silence.unlessSilent(sleep(10));
  resolve('its outcome');
  assert.equal(await slow, 'its outcome');

  const never = new Promise<never>(() => {});
  await assert.rejects(Promise.all([1, 2].map(() => silence.unlessSilent(never))), SilentError);
  assert.equal(await silence.unlessSilent(sleep(10, 'later work')), 'later work');
});

test('a process that stood still itself hears first what came meanwhile', async (t) => {
  const silence = new Silence(LIMIT_MS);
  const { near, far } = await connectedPair(t);
  // After this turn come the timers, and then what arrived.
  await setImmediate();
  const heard = silence.unlessSilent(once(near, 'data'));
  far.write('heard');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * LIMIT_MS);
  assert.equal(String(await heard), 'heard');
});

/** Two ends of a connection. What one writes has arrived at the other at once. */
async function connectedPair(t: TestContext) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[near]] = await Promise.all([once(server, 'connection'), once(far, 'connect')]);
  cleanUp(t, () => {
    far.destroy();
    near.destroy();
    server.close();
  });
  return { near: near as Socket, far };
}
