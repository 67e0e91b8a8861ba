import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Requests that have no answer yet, and the most that there were at once. */
  readonly open: { now: number; most: number };
  /** How it answers from now on. */
  answer: (response: ServerResponse, received: Received) => unknown;
}

/** A program that webhooks are sent to: a real server, which keeps what it got. */
export async function startReceiver(t: TestContext): Promise<Receiver> {
  const received: Received[] = [];
  const open = { now: 0, most: 0 };
  const receiver = { received, open, url: '', answer: status(204) };
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    response.on('close', () => {
      open.now -= 1;
    });
    const { headers, url: path = '' } = request;
    const got = { headers, path, body: await text(request) };
    received.push(got);
    await receiver.answer(response, got);
  };
  const server = createServer((request, response) => {
    // A sender may break off in the midst of its request.
    receive(request, response).catch((error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    server.closeAllConnections();
    server.close();
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  return receiver;
}

export const status =
  (code: number, headers: Record<string, string> = {}): Receiver['answer'] =>
  (response) =>
    response.writeHead(code, headers).end();

/**
 * The signature as the specification of Standard Webhooks has it, written down here a second time: base64 of
 * the HMAC-SHA256 of `id.timestamp.body`, with the bytes behind `whsec_`.
 */
export function signatureOf(secret: string, { headers, body }: Received): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(content, 'utf8').digest('base64')}`;
}
