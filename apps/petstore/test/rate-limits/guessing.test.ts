import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { collectGarbage } from '@petstore/service/collect-garbage.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { generateKey } from '../../src/keys/key.ts';
import { startService } from '../support/service.ts';

// A million by hand: npm run bench:guessing.
const GUESSES = 20_000;
const AT_ONCE = 250;

/** What a guess may leave behind, in bytes: far less than a key or an address takes. */
const MAX_LEFT_BEHIND = 40;

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
    let read = 0;
    for (const { 0: line, 1: status = '', index } of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      statuses.push(status);
      read = index + line.length;
    }
    // An answer may be cut anywhere, within its status too.
    text = text.slice(read);
  }
  return new Set(statuses);
}

/** A connection to a service of its own, which knows by now that its key is good. */
async function connectTo(t: TestContext): Promise<{ socket: Socket; key: string }> {
  const { port, key } = await startService(t);
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  cleanUp(t, () => socket.destroy());
  assert.deepEqual([...(await ask(socket, [key]))], ['200']);
  return { socket, key };
}

async function guess(socket: Socket, count: number): Promise<void> {
  for (let i = 0; i < count; i += AT_ONCE) {
    const keys = Array.from({ length: AT_ONCE }, (_, n) =>
      n % 2 ? generateKey('x', 'production', new Date(0)).key : `pk_live_${'x'.repeat(37)}${n % 7}`,
    );
    for (const status of await ask(socket, keys)) assert.match(status, /^(401|429)$/);
  }
}

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test(`${GUESSES} wrong keys leave nothing behind, and right ones are as fast as elsewhere`, async (t) => {
  const guessed = await connectTo(t);
  const untouched = await connectTo(t);
  await guess(guessed.socket, 2_000);
  const before = heapBytes();
  await guess(guessed.socket, GUESSES);
  const leftBehind = (heapBytes() - before) / GUESSES;
  assert.ok(leftBehind < MAX_LEFT_BEHIND, `a guess leaves ${leftBehind} bytes behind`);

  /** How long right requests take, one after another. */
  const rightMs = async ({ socket, key }: typeof guessed) => {
    const begun = performance.now();
    for (let i = 0; i < 50; i++) assert.deepEqual([...(await ask(socket, [key]))], ['200']);
    return performance.now() - begun;
  };
  // Others who use the machine only ever add to a time, so the best of many is compared.
  let [here, there] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 400 && (round < 40 || here > there * 1.1); round++) {
    here = Math.min(here, await rightMs(guessed));
    there = Math.min(there, await rightMs(untouched));
  }
  assert.ok(here <= there * 1.1, `${here} ms after the guesses, ${there} ms without any`);
});
