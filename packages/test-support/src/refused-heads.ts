import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseResponses } from './raw-http.ts';

const LONG = 'x'.repeat(6_000);

/** Between two packets, in milliseconds. */
const PAUSE_MS = 15;

/** Requests that no server takes, in packets, with the status that each gets. */
function refusedRequests(method: string): [packets: string[], status: number][] {
  const line = `${method} / HTTP/1.1\r\n`;
  return [
    [[`${line}Host: a.test\r\nX\r\n\r\n`], 400],
    [[`\r\n${method} / HTTP/9.9\r\nHost: a.test\r\n\r\n`], 400],
    [[`${line}Ho`, 'st: a.test\r\nX\r\n\r\n'], 400],
    [[method.slice(0, 2), `${method.slice(2)} / HTTP/1.1\r\nX\r\n\r\n`], 400],
    [[`${method} /${LONG}${LONG}${LONG}`], 414],
    [[method.slice(0, 2), `${method.slice(2)} /`, LONG, LONG, LONG], 414],
    [[`${line}X: ${LONG}${LONG}${LONG}`], 431],
    [[`${line}X: `, LONG, LONG, LONG], 431],
    [[`${line}Host: a.test\r\n`], 408],
  ];
}

/**
 * Checks that a HEAD that never becomes a request gets the headers of the response to a GET, and no content: alone on
 * its connection, and behind `good`, a request that gets a response. `hurried` connects to a server that does not wait long
 * for a head; without it no head is late.
 */
export async function assertRefusedHeadsGetNoContent(
  connect: () => Socket | Promise<Socket>,
  good: string,
  hurried?: () => Socket | Promise<Socket>,
): Promise<void> {
  /** The last response; `before` gets its own before the packets are sent. */
  const refusalOf = async (socket: Socket, packets: readonly string[], before?: string) => {
    const received = buffer(socket);
    if (before !== undefined) {
      socket.write(before);
      await once(socket, 'data');
    }
    for (const packet of packets) {
      socket.write(packet);
      await sleep(PAUSE_MS);
    }
    const { status, headers, body } =
      parseResponses(String(await received)).at(-1) ?? assert.fail();
    return { status, length: Number(headers['content-length']), body };
  };
  const gets = refusedRequests('GET');
  const check = async ([packets, status]: [string[], number], at: number) => {
    const open = status === 408 ? hurried : connect;
    if (!open) return;
    const refusal = async (packets: readonly string[], before?: string) =>
      refusalOf(await open(), packets, before);
    const what = JSON.stringify(packets).slice(0, 60);
    const get = await refusal(gets[at]?.[0] ?? []);
    assert.equal(get.status, status, what);
    assert.ok(get.length > 0 && get.length === Buffer.byteLength(get.body), what);
    const wanted = { ...get, body: '' };
    assert.deepEqual(await refusal(packets), wanted, what);
    assert.deepEqual(await refusal(packets, good), wanted, `${what} behind another`);
    // While a response is on its way, only the packet that is refused is looked at, and behind content it is not found.
    if (status !== 400 || packets.length > 1 || !good.endsWith('\r\n\r\n')) return;
    assert.deepEqual(await refusal([good + packets[0]]), wanted, `${what} with another`);
  };
  await Promise.all(refusedRequests('HEAD').map(check));
}
