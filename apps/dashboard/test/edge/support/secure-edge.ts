import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import type { EdgeOptions } from '../../../server/src/edge/edge-server.ts';
import type { Site } from '../../../server/src/edge/sites/site-source.ts';
import { authority } from './certificates.ts';
import { type Answer, type Ask, startTestEdge } from './edge.ts';
import { MemorySource, SITE, type TestFile } from './memory-source.ts';

/** Puts a site online at a host that has a certificate; the project is `project of HOST`. */
export async function deploySecurely(
  source: MemorySource,
  host: string,
  files: Record<string, TestFile> = SITE,
  site: Partial<Site> = {},
) {
  const certificate = await authority.issue(host);
  source.certificates.set(host, certificate);
  source.deploy(host, files, { secureOrigin: `https://${host}`, ...site });
  return certificate;
}

/** An edge with TLS on a store that holds SITE at `a.test` and `b.test`, with certificates. */
export async function startSecureEdge(
  t: TestContext,
  options: Partial<EdgeOptions> & { source?: MemorySource } = {},
) {
  const source = options.source ?? new MemorySource();
  if (!options.source) {
    for (const host of ['a.test', 'b.test']) await deploySecurely(source, host);
  }
  const edge = await startTestEdge(t, { tls: { port: 0 }, ...options, source });
  const { httpsPort } = edge;
  assert.ok(httpsPort !== undefined);
  return { ...edge, httpsPort, askSecurely: secureAskOf(httpsPort) };
}

/** A connection after its handshake, with the chain and the name verified. Rejects with the client's error. */
export async function handshake(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({
    ...{ host: '127.0.0.1', port, ca: authority.root, servername: 'a.test' },
    ...options,
  });
  await once(socket, 'secureConnect');
  assert.ok(socket.authorized || options.rejectUnauthorized === false);
  socket.on('error', () => undefined);
  return socket;
}

/** What a client of `a.test` says first. */
export async function clientHello(): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const refused = assert.rejects(handshake(port));
  const [socket] = await once(server, 'connection');
  const [hello] = await once(socket, 'data');
  socket.destroy();
  server.close();
  await refused;
  return hello;
}

/** Asks over TLS and HTTP/1.1, on a connection of its own. */
export const secureAskOf =
  (port: number): Ask =>
  async (path, { host = 'a.test', method = 'GET', headers = {} } = {}) => {
    const socket = await handshake(port, { servername: host, ALPNProtocols: ['http/1.1'] });
    const sent = request({
      ...{ path, method, headers: { host, ...headers }, createConnection: () => socket },
    });
    sent.end();
    const [response] = await once(sent, 'response');
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
  };

/** A session of HTTP/2, ended with the test. */
export async function openSession(
  t: TestContext,
  port: number,
  { servername = 'a.test', settings = {} } = {},
): Promise<ClientHttp2Session> {
  const socket = await handshake(port, { servername, ALPNProtocols: ['h2'] });
  assert.equal(socket.alpnProtocol, 'h2');
  const session = connectHttp2(`https://${servername}`, {
    createConnection: () => socket,
    settings,
  });
  session.on('error', () => undefined);
  cleanUp(t, () => session.destroy());
  return session;
}

/** Asks on a session of HTTP/2. */
export async function askSession(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body = '',
): Promise<Answer> {
  const stream = session.request(headers);
  const answered = once(stream, 'response');
  if (body === '') stream.end();
  else stream.end(body);
  const [answer] = await answered;
  return { status: answer[':status'], headers: answer, body: await buffer(stream) };
}
