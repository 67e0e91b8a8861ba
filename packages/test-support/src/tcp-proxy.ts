import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { resetConnection } from '@petstore/http/reset-connection.ts';
import { cleanUp, type Ending } from './clean-up.ts';

/** With this message PostgreSQL says that it takes a statement: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** A way to a server that can break in the ways that networks do. */
export interface TcpProxy {
  readonly port: number;
  /** How many connections pass it now. */
  readonly connections: number;
  /** How many sockets it has. One that was ended is gone when the other side has ended it, too. */
  readonly sockets: number;
  /** As a cut cable: from now on nothing passes, on connections that are there and on new ones, and none is closed. */
  silence(): void;
  /** New connections of a PostgreSQL client fall silent as soon as it is let in: its first statement gets no response. */
  silenceAfterLogin(): void;
  /** From now on new connections are reset at once. */
  refuse(): void;
  /** Resets the connections that are there. */
  reset(): void;
  /** Ends the connections that are there as a server does that goes in order: with a FIN on both sides. */
  end(): void;
  /** Of what the server sends next on a connection that is there, half passes; then the connection ends. */
  endInMessage(): void;
  /** On the connections that are there, PostgreSQL's word that it takes the next statement comes so much later. */
  delayReady(ms: number): void;
  /** From now on new connections are ended so as soon as they are there. */
  endAtOnce(): void;
  /** New connections pass again. Those that fell silent stay so. */
  restore(): void;
}

export async function tcpProxy(t: Ending, target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  /** Those to the server, each with its client's. */
  const clients = new Map<Socket, Socket>();
  let state: 'open' | 'silent' | 'silent after login' | 'refusing' | 'ending' = 'open';
  const server = createServer((client) => {
    const ends = [client];
    if (state === 'refusing') {
      resetConnection(client);
    } else if (state === 'ending') {
      client.end();
    } else if (state !== 'silent') {
      const upstream = connect(target, '127.0.0.1');
      client.pipe(upstream).pipe(client);
      ends.push(upstream);
      clients.set(upstream, client);
      upstream.on('close', () => clients.delete(upstream));
      // What the server still sends is for nobody.
      client.on('close', () => upstream.destroy());
      if (state === 'silent after login') {
        upstream.on('data', (chunk) => {
          if (!chunk.includes(READY)) return;
          for (const end of ends) end.unpipe().pause();
        });
      }
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
    get connections() {
      return [...clients.values()].filter(({ writable, destroyed }) => writable && !destroyed)
        .length;
    },
    get sockets() {
      return sockets.size;
    },
    silence() {
      state = 'silent';
      for (const socket of sockets) socket.unpipe().pause();
    },
    silenceAfterLogin() {
      state = 'silent after login';
    },
    refuse() {
      state = 'refusing';
    },
    reset() {
      for (const socket of sockets) resetConnection(socket);
    },
    end() {
      for (const socket of sockets) socket.end();
    },
    endInMessage() {
      for (const [upstream, client] of clients) {
        upstream.unpipe(client);
        upstream.once('data', (chunk) => {
          client.end(chunk.subarray(0, chunk.length / 2));
          upstream.end();
        });
        upstream.resume();
      }
    },
    delayReady(ms) {
      for (const [upstream, client] of clients) {
        upstream.unpipe(client);
        upstream.on('data', (chunk) => {
          const at = chunk.indexOf(READY);
          if (at < 0) return client.write(chunk);
          client.write(chunk.subarray(0, at));
          setTimeout(() => client.write(chunk.subarray(at)), ms);
        });
        upstream.resume();
      }
    },
    endAtOnce() {
      state = 'ending';
    },
    restore() {
      state = 'open';
    },
  };
}
