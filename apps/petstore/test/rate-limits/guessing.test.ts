import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { generateKey } from '../../src/keys/key.ts';
import { startService } from '../support/service.ts';

// A million by hand: npm run bench:guessing.
const GUESSES = 20_000;
const AT_ONCE = 250;

/** What a guess may leave behind, in bytes: far less than a key or an address takes. */
const MAX_LEFT_BEHIND = 40;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Sends requests at once and waits for as many answers; what their statuses were. */
async function ask(socket: Socket, keys: readonly string[]): Promise<Set<string>> {
  const request = (key: string) =>
    `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  socket.write(keys.map(request).join(''));
  const statuses: string[] = [];
  let text = '';
  while (statuses.length < keys.length) {
    const [chunk] = await once(socket, 'data');
    text += chunk;
    const whole = text.lastIndexOf('HTTP/1.1 ') + 'HTTP/1.1 200'.length;
    for (const [, status] of text.slice(0, whole).matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      statuses.push(status ?? '');
    }
    text = text.slice(whole);
  }
  return new Set(statuses);
}

test(`${GUESSES} wrong keys leave nothing behind, and right ones are as fast as before`, async (t) => {
  const { port, key } = await startService(t);
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  t.after(() => socket.destroy());

  const guess = async (count: number) => {
    for (let i = 0; i < count; i += AT_ONCE) {
      const keys = Array.from({ length: AT_ONCE }, (_, n) =>
        n % 2
          ? generateKey('x', 'production', new Date(0)).key
          : `pk_live_${'x'.repeat(37)}${n % 7}`,
      );
      for (const status of await ask(socket, keys)) assert.match(status, /^(401|429)$/);
    }
  };
  /** How long right requests take at best, one after another; noise only ever adds to it. */
  const rightMs = async () => {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 20; round++) {
      const begun = performance.now();
      for (let i = 0; i < 50; i++) assert.deepEqual([...(await ask(socket, [key]))], ['200']);
      best = Math.min(best, performance.now() - begun);
    }
    return best;
  };
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };

  await rightMs();
  await guess(2_000);
  const heapBefore = heap();
  const before = await rightMs();
  await guess(GUESSES);
  const leftBehind = (heap() - heapBefore) / GUESSES;
  const after = await rightMs();
  assert.ok(leftBehind < MAX_LEFT_BEHIND, `a guess leaves ${leftBehind} bytes behind`);
  assert.ok(after < before * 1.1, `${before} ms before, ${after} ms after`);
});
