import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { cleanUp, type Ending } from './clean-up.ts';

/** A way to a server that can break in the ways that networks do. */
export interface TcpProxy {
  readonly port: number;
  /** As a cut cable: from now on nothing passes, on connections that are there and on new ones, and none is closed. */
  silence(): void;
  /** From now on new connections are reset at once. */
  refuse(): void;
  /** Resets the connections that are there. */
  reset(): void;
  /** Ends the connections that are there as a server does that goes in order: with a FIN on both sides. */
  end(): void;
  /** From now on new connections are ended so as soon as they are there. */
  endAtOnce(): void;
  /** New connections pass again. Those that fell silent stay so. */
  restore(): void;
}

export async function tcpProxy(t: Ending, target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'silent' | 'refusing' | 'ending' = 'open';
  const server = createServer((client) => {
    const ends = [client];
    if (state === 'refusing') {
      client.resetAndDestroy();
    } else if (state === 'ending') {
      client.end();
    } else if (state === 'open') {
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
  cleanUp(t, () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as { port: number }).port,
    silence() {
      state = 'silent';
      for (const socket of sockets) socket.unpipe().pause();
    },
    refuse() {
      state = 'refusing';
    },
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    end() {
      for (const socket of sockets) socket.end();
    },
    endAtOnce() {
      state = 'ending';
    },
    restore() {
      state = 'open';
    },
  };
}
