import { Agent, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';

/**
 * Connects to a server of this process without the network: what comes over such a connection passes everything that a
 * request from outside does. `client` is the connection for which that is done. The server sees its addresses, and
 * like it one connection for all requests, until it closes.
 */
export class MemoryConnections {
  readonly #server: Server;
  readonly #agents = new WeakMap<Socket, Agent>();

  constructor(server: Server) {
    this.#server = server;
  }

  /** The agent whose requests reach the server. */
  agentOf(client: Socket): Agent {
    const known = this.#agents.get(client);
    if (known) return known;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agent.createConnection = () => this.#connect(client);
    this.#agents.set(client, agent);
    client.once('close', () => agent.destroy());
    return agent;
  }

  #connect(client: Socket): Duplex {
    const [near, far] = duplexPair();
    const reset = () => {
      far.destroy();
      near.destroy();
    };
    Object.assign(near, NO_TIMERS);
    const { remoteAddress, remotePort, remoteFamily } = client;
    Object.assign(far, { remoteAddress, remotePort, remoteFamily, resetAndDestroy: reset });
    // An orderly end comes when everything was read.
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    this.#server.emit('connection', far);
    return near;
  }
}

/** What Node's client calls on a socket to keep it open. */
const NO_TIMERS = {
  setKeepAlive: () => undefined,
  setTimeout: () => undefined,
  ref: () => undefined,
  unref: () => undefined,
};
