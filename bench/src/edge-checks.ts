import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { HOSTS, hostName, PAGE_BYTES } from './edge-data.ts';

/** Asks with a Host of choice, which fetch does not allow, and believes any certificate. */
export async function ask(url: string, headers: Record<string, string> = {}) {
  const request: typeof https.request = url.startsWith('https:') ? https.request : http.request;
  const sent = request(url, { headers, agent: false, rejectUnauthorized: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode: status, headers: answered } = response;
  return { status, headers: answered, body: await buffer(response) };
}

/** Asks a server for what the loads will. Throws where an answer is wrong. */
export async function checkAnswers(url: string, accept: string): Promise<void> {
  const host = hostName(0);
  const first = await ask(url, { host });
  assert.equal(first.status, 200);
  assert.equal(first.body.length, PAGE_BYTES);

  const compressed = await ask(url, { host, 'accept-encoding': accept });
  const decode =
    compressed.headers['content-encoding'] === 'br' ? brotliDecompressSync : gunzipSync;
  assert.deepEqual(decode(compressed.body), first.body);

  const known = await ask(url, { host, 'if-none-match': first.headers.etag ?? '' });
  assert.equal(known.status, 304);

  for (const at of [1, HOSTS - 1]) {
    const { status, body } = await ask(url, { host: hostName(at) });
    assert.equal(status, 200);
    assert.ok(body.includes(`<title>${hostName(at)}</title>`));
  }
}
