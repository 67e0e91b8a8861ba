import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import type { CanonicalHost } from '../../server/src/edge/host.ts';
import { clientAddress } from '../../server/src/http/client-address.ts';
import { isFromThisMachine, isOverOwnTls } from '../../server/src/http/own-name.ts';
import { authority } from '../edge/support/certificates.ts';
import { MemorySource } from '../edge/support/memory-source.ts';
import { deploySecurely, startSecureEdge } from '../edge/support/secure-edge.ts';
import { client } from './client.ts';

const HOST = 'dash.example.test' as CanonicalHost;

test('who comes from another machine is not on the server, also at a plain port that is bound to a public address', async (t) => {
  const seen: boolean[] = [];
  const server = createServer((request, response) => {
    const from = (remoteAddress?: string) => {
      Object.defineProperty(request.socket, 'remoteAddress', {
        value: remoteAddress,
        configurable: true,
      });
      return isFromThisMachine({ raw: request });
    };
    seen.push(isFromThisMachine({ raw: request }));
    seen.push(from('::1'), from('::ffff:127.0.0.1'));
    seen.push(from('192.0.2.7'), from('::ffff:10.0.0.1'), from('127.example'), from());
    response.end();
  }).listen(0, '127.0.0.1');
  cleanUp(t, () => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await (await fetch(`http://127.0.0.1:${port}/`)).text();
  assert.deepEqual(seen, [true, true, true, false, false, false, false]);
});

test('a request over TLS stays one when its client takes it back, so that no stranger counts as being on the server', async (t) => {
  const { promise: looked, resolve, reject } = Promise.withResolvers<unknown[]>();
  // It does not listen: the edge hands requests over.
  const server = createServer(async (request) => {
    const seen = () => [
      isOverOwnTls({ raw: request }),
      clientAddress({ ip: request.socket.remoteAddress }),
    ];
    const before = seen();
    request.resume();
    await once(request, 'close').catch(reject);
    resolve([...before, ...seen()]);
  });
  const source = new MemorySource();
  await deploySecurely(source, HOST);
  const plain = async () => ({ status: 403, headers: ['Content-Length', '0'], content: '' });
  const edge = await startSecureEdge(t, { source, ownHosts: [{ host: HOST, server, plain }] });
  const ports = { http: edge.port, https: edge.httpsPort };
  const session = await client('127.0.0.1', ports, authority.root).http2(HOST);
  cleanUp(t, () => session.destroy());
  const stream = session.request({ ':method': 'POST', ':path': '/api/users' });
  stream.on('error', () => undefined);
  server.once('request', () => stream.close(8));
  assert.deepEqual(await looked, [true, '127.0.0.1', true, 'unknown']);
});
