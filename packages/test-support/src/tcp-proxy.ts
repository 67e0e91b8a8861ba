import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A way to a server that can fall silent, as a cut cable does: nothing arrives, nothing is closed. */
export interface TcpProxy {
  readonly port: number;
  /** From now on nothing passes, on connections that are there and on new ones. */
  silence(): void;
  /** New connections pass again. Those that fell silent stay so. */
  restore(): void;
}

export async function tcpProxy(t: TestContext, target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createServer((client) => {
    const ends = [client];
    if (!isSilent) {
      const upstream = connect(target, '127.0.0.1');
      client.pipe(upstream).pipe(client);
      ends.push(upstream);
    }
    for (const end of ends) {
      sockets.add(end);
      end.on('error', () => undefined);
      end.on('close', () => sockets.delete(end));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as { port: number }).port,
    silence() {
      isSilent = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    restore() {
      isSilent = false;
    },
  };
}
