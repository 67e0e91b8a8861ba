import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** Handles a message. `send` sends a response, and does nothing once the sender is gone. */
type OnMessage = (message: Buffer, isUdp: boolean, send: (bytes: Buffer) => void) => void;

/** A port that is free for TCP may be taken for UDP, so it may take a few attempts. */
const MAX_ATTEMPTS = 20;

/** Listens for DNS messages on one port, UDP and TCP. Rejects with EADDRINUSE where it is taken. */
export async function listen(address: string, port: number, onMessage: OnMessage) {
  const open = new Set<Socket>();
  const tcp = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    readMessages(socket, onMessage);
  });
  const udp = await listenOnBoth(tcp, address, port);
  udp.on('message', (message, sender) => {
    onMessage(message, true, (bytes) => {
      // The client may be gone by now, which is not an error of this server.
      if (tcp.listening) udp.send(bytes, sender.port, sender.address, () => undefined);
    });
  });
  return {
    port: udp.address().port,
    async close(): Promise<void> {
      for (const socket of open) socket.destroy();
      const closed = [once(udp, 'close'), once(tcp, 'close')];
      udp.close();
      tcp.close();
      await Promise.all(closed);
    },
  };
}

async function listenOnBoth(tcp: Server, address: string, port: number): Promise<UdpSocket> {
  for (let attempt = 1; ; attempt += 1) {
    tcp.listen(port, address);
    await once(tcp, 'listening');
    const udp = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    try {
      udp.bind((tcp.address() as { port: number }).port, address);
      await once(udp, 'listening');
      return udp;
    } catch (error) {
      const closed = once(tcp, 'close');
      tcp.close();
      await closed;
      if (port !== 0 || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** RFC 1035, section 4.2.2: over TCP each message has its length in front, two bytes. */
function readMessages(socket: Socket, onMessage: OnMessage): void {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const message = received.subarray(2, end);
      received = received.subarray(end);
      onMessage(message, false, (bytes) => {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(bytes.length);
        if (socket.writable) socket.write(Buffer.concat([length, bytes]));
      });
    }
  });
}
