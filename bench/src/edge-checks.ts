import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { HOSTS, hostName, PAGE_BYTES } from './edge-data.ts';

const START_TIMEOUT_MS = 60_000;

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Asks with a Host of choice, which fetch does not allow. */
export async function askAs(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<Answer> {
  const sent = request({ host: '127.0.0.1', port, path, headers, agent: false });
  sent.end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (!response) throw new Error('no response');
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

/** Waits until a server is up, then asks it for what the loads will. Throws where an answer is wrong. */
export async function checkAnswers(
  port: number,
  path: string,
  accept: string,
  assertAlive: () => void,
): Promise<void> {
  const host = hostName(0);
  const deadline = performance.now() + START_TIMEOUT_MS;
  let first: Answer | undefined;
  while (!first && performance.now() < deadline) {
    assertAlive();
    first = await askAs(port, path, { host }).catch(() => undefined);
    await sleep(10);
  }
  assert.equal(first?.status, 200);
  assert.equal(first.body.length, PAGE_BYTES);

  const compressed = await askAs(port, path, { host, 'accept-encoding': accept });
  const decode =
    compressed.headers['content-encoding'] === 'br' ? brotliDecompressSync : gunzipSync;
  assert.deepEqual(decode(compressed.body), first.body);

  const known = await askAs(port, path, { host, 'if-none-match': first.headers.etag ?? '' });
  assert.equal(known.status, 304);

  for (const at of [1, HOSTS - 1]) {
    const { status, body } = await askAs(port, path, { host: hostName(at) });
    assert.equal(status, 200);
    assert.ok(body.includes(`<title>${hostName(at)}</title>`));
  }
}
