import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Destination } from './destination.ts';
import type { Gateway } from './https-proxy.ts';

/** A port on loopback that leads to the repository's host: ssh itself could neither check addresses nor count. */
export async function openSshRelay(destination: Destination): Promise<Gateway> {
  const server = createServer({ pauseOnConnect: true }, async (client) => {
    client.on('error', () => undefined);
    const upstream = await destination.connect();
    if (!upstream || client.destroyed) {
      client.destroy();
      upstream?.destroy();
      return;
    }
    destination.join(client, upstream);
    client.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: `${port}`, close: () => void server.close() };
}
