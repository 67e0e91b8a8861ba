import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { Webhook } from 'standardwebhooks';

export interface Received {
  readonly webhookId: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly event: { readonly id: string; readonly type: string; readonly data: unknown };
}

/** A receiver of webhooks, which answers as it is told. */
export class Receiver {
  readonly received: Received[] = [];
  url = '';
  /** The status of the response to each. */
  answer: (received: Received) => number | Promise<number> = () => 204;
  /** The headers of the response to each. */
  headers: Record<string, string> = {};
  #onReceived = () => {};

  static async start(t: Ending): Promise<Receiver> {
    const receiver = new Receiver();
    const server = createServer(async (request, response) => {
      const body = await text(request).catch(() => undefined);
      // Its sender has ended in the midst of it.
      if (body === undefined) return;
      const headers = request.headers as Record<string, string>;
      const received = {
        ...{ webhookId: headers['webhook-id'] ?? '', headers, body, event: JSON.parse(body) },
      };
      receiver.received.push(received);
      receiver.#onReceived();
      response.writeHead(await receiver.answer(received), receiver.headers).end('noted');
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

  /** Waits until what was received is as it should be. */
  async until(isEnough: (received: readonly Received[]) => boolean): Promise<void> {
    while (!isEnough(this.received)) {
      await new Promise<void>((resolve) => {
        this.#onReceived = resolve;
      });
    }
  }

  ids(): string[] {
    return this.received.map(({ event }) => event.id);
  }
}

/** Holds a delivery to be signed by a secret, or not to be. */
export function assertSigned({ body, headers }: Received, secret: string, isSigned = true): void {
  const verify = () => new Webhook(secret).verify(body, headers);
  if (isSigned) verify();
  else assert.throws(verify);
}

export function isSigned({ body, headers }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
