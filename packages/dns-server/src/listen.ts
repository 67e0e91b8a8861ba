import type { Socket } from 'node:dgram';
import type { Responder } from './responder.ts';
import { openTcp, type TcpServer } from './tcp-server.ts';
import { openUdp } from './udp-socket.ts';

/** How long connections may take to end at a stop, in milliseconds. */
const GRACE_MS = 1_000;

/** A port that is free for TCP may be taken for UDP: so many times the system picks another one. */
const MAX_ATTEMPTS = 20;

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens on UDP and TCP at the same port. `port` 0: a free one. Rejects with the system's error. */
export async function listenOnBoth(
  host: string,
  port: number,
  responder: Responder,
): Promise<Listening> {
  for (let attempt = 1; ; attempt += 1) {
    const tcp = await openTcp(host, port, responder);
    try {
      return both(tcp, await openUdp(host, tcp.port, responder));
    } catch (error) {
      await tcp.close(0);
      if (port !== 0 || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function both(tcp: TcpServer, udp: Socket): Listening {
  return {
    port: tcp.port,
    async close() {
      udp.close();
      await tcp.close(GRACE_MS);
    },
  };
}
