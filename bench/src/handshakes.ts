import { once } from 'node:events';
import { connect } from 'node:tls';

const WAYS = 8;

/**
 * Makes TLS connections, one after another on each of several ways, and closes each after its handshake. `host`: the
 * server name at each turn. Gives how many there were. Rejects where one failed.
 */
export async function makeHandshakes(
  port: number,
  count: number,
  host: (turn: number) => string,
): Promise<number> {
  let left = count;
  const go = async () => {
    while (left > 0) {
      const servername = host(--left);
      // The certificate is the same for all, so its name is not checked; nothing is resumed.
      const options = { host: '127.0.0.1', port, servername, rejectUnauthorized: false };
      const socket = connect(options);
      await once(socket, 'secureConnect');
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: WAYS }, go));
  return count;
}
