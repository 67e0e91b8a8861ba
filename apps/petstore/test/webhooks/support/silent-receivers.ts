import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';

/** A host of many receivers that take what comes, and never respond. Those at /prompt respond at once. */
export class SilentReceivers {
  taken = 0;
  /** Of what was taken, what nobody has given up yet. */
  underWay = 0;
  prompted = 0;
  /** Until it is false they respond as well. */
  areSilent = true;

  /** Starts it; its address. */
  async start(t: TestContext): Promise<string> {
    const server = createServer(({ url }, response) => {
      const isPrompt = url === '/prompt';
      if (isPrompt) this.prompted++;
      else this.taken++;
      if (isPrompt || !this.areSilent) {
        response.writeHead(204).end();
        return;
      }
      this.underWay++;
      response.on('close', () => this.underWay--);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanUp(t, () => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  async until(taken: number): Promise<void> {
    while (this.taken < taken) await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
