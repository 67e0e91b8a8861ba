import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import type { CanonicalHost } from '../../server/src/edge/host.ts';
import { clientAddress } from '../../server/src/http/client-address.ts';
import { isOverOwnTls } from '../../server/src/http/own-name.ts';
import { authority } from '../edge/support/certificates.ts';
import { MemorySource } from '../edge/support/memory-source.ts';
import { deploySecurely, startSecureEdge } from '../edge/support/secure-edge.ts';
import { client } from './client.ts';

const HOST = 'dash.example.test' as CanonicalHost;

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
