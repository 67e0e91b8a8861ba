import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { Responder } from './responder.ts';

/** Answers over UDP. Rejects with the system's error where it cannot listen. */
export async function openUdp(host: string, port: number, responder: Responder): Promise<Socket> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  socket.on('message', (message, sender) => {
    const response = responder.respond(message, sender.address);
    // A client that is gone, or a full buffer of the system, is as a response that is lost on its way.
    if (response) socket.send(response, sender.port, sender.address, () => undefined);
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  socket.on('error', () => undefined);
  return socket;
}
