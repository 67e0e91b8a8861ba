import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { isPublicAddress } from '@petstore/http/networks.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { Webhook } from 'standardwebhooks';
import { type SendOptions, sendWebhook } from '../src/send-webhook.ts';
import { makeWebhookSecret } from '../src/signature.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

async function receive(t: TestContext, handler: Handler): Promise<string> {
  const server = createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

const secret = makeWebhookSecret();
const never = new AbortController().signal;

const send = (
  url: string,
  { isAllowed = () => true, timeoutMs = 5_000 }: Partial<SendOptions> = {},
) =>
  sendWebhook(
    { id: 'msg_1', url, secret, body: '{"type":"test"}' },
    { at: Date.now(), timeoutMs, userAgent: 'a-test', dnsServers: [], isAllowed },
    never,
  );

test('a receiver verifies what comes with the library, and the outcome has the beginning of its response', async (t) => {
  const seen: unknown[] = [];
  const url = await receive(t, async (request, response) => {
    const headers = request.headers as Record<string, string>;
    seen.push(new Webhook(secret).verify(await text(request), headers), headers['user-agent']);
    response.end('thank you');
  });
  assert.deepEqual(await send(url), { status: 200, response: 'thank you', error: null });
  assert.deepEqual(seen, [{ type: 'test' }, 'a-test']);
});

test('of a response a kilobyte is kept, as text that every database stores', async (t) => {
  const rows: [body: string | Buffer, kept: string][] = [
    ['', ''],
    // The limit is in the middle of a character.
    [`a${'ü'.repeat(40_000)}`, `a${'ü'.repeat(511)}`],
    ['a\0b', 'a\u{fffd}b'],
    [Buffer.from([0x61, 0xff, 0xfe]), 'a\u{fffd}\u{fffd}'],
  ];
  for (const [body, kept] of rows) {
    const url = await receive(t, (_request, response) => response.writeHead(500).end(body));
    const { response } = await send(url);
    assert.equal(response, kept);
  }
});

test('nothing is sent to an address that is not allowed', async (t) => {
  let requests = 0;
  const url = await receive(t, (_request, response) => {
    requests += 1;
    response.end();
  });
  const outcome = await send(url, { isAllowed: isPublicAddress });
  assert.deepEqual(outcome, {
    status: null,
    error: '127.0.0.1 is not an address of the internet.',
  });
  assert.equal(requests, 0);
});

test('a receiver that does not respond in its time is told apart from every other failure', async (t) => {
  const url = await receive(t, () => {});
  assert.deepEqual(await send(url, { timeoutMs: 100 }), {
    ...{ status: null, timedOut: true },
    error: 'The receiver did not respond within 0.1 seconds.',
  });
});
