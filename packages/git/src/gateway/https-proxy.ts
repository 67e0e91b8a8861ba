import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from '@petstore/http/node-http.ts';
import { GitError } from '../git-error.ts';
import type { RepositoryUrl } from '../repository-url.ts';
import type { Destination } from './destination.ts';

/** What stands between git and the repository's host, on loopback. */
export interface Gateway {
  /** Of a proxy the URL with its password; of a relay its port. */
  readonly address: string;
  close(): void;
}

/**
 * A proxy for git, which takes CONNECT to the repository's own host and to nothing else: TLS is between git and the host.
 * Its password is told to git alone, so that no other program of the machine can use it.
 */
export async function openHttpsProxy(
  repository: RepositoryUrl,
  destination: Destination,
): Promise<Gateway> {
  const password = randomBytes(16).toString('hex');
  const expected = Buffer.from(`Basic ${Buffer.from(`git:${password}`).toString('base64')}`);
  const server = createServer((_request, response) => {
    response.writeHead(403, { connection: 'close' }).end();
  });
  server.on('connect', async ({ url, headers }: IncomingMessage, client: Socket) => {
    client.on('error', () => undefined);
    const given = Buffer.from(headers['proxy-authorization'] ?? '');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nConnection: close\r\n\r\n');
      return;
    }
    if (url !== authority(repository)) {
      // The session knows where to.
      destination.fail(new GitError('redirected', `git was sent to ${url}.`));
      client.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    const upstream = await destination.connect();
    if (!upstream || client.destroyed) {
      client.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n');
      upstream?.destroy();
      return;
    }
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    destination.join(client, upstream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://git:${password}@127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function authority({ host, port }: RepositoryUrl): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
