import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { pino } from 'pino';
import type { Timeouts } from '../../../server/src/edge/connections/limits.ts';
import { type EdgeOptions, startEdge } from '../../../server/src/edge/edge-server.ts';
import { MemorySource, SITE } from './memory-source.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** No server keeps a connection for so long, in milliseconds, however slow the machine is. */
const HANGS_MS = 60_000;

export type Ask = (
  path: string,
  options?: { host?: string; method?: string; headers?: Record<string, string> },
) => Promise<Answer>;

/** Asks a server on this machine for a path of a host, on a connection of its own. */
export const askOf =
  (port: number): Ask =>
  async (path, { host = 'a.test', method = 'GET', headers = {} } = {}) => {
    // Not by a name: of its two addresses only one is the edge's.
    const at = { host: '127.0.0.1', port, path };
    const sent = request({ ...at, method, headers: { host, ...headers }, agent: false });
    sent.end();
    const [response] = await once(sent, 'response');
    return {
      status: response.statusCode,
      headers: response.headers,
      body: await buffer(response),
    };
  };

/** A machine that does other things is late with what is there at once. */
const PATIENT: Partial<Timeouts> = {
  clientHello: HANGS_MS,
  handshake: HANGS_MS,
  headers: HANGS_MS,
  request: HANGS_MS,
  storeRead: HANGS_MS,
};

/** An edge on a store that holds SITE at `a.test`; it has its own patience with nobody but whom `options` names. */
export async function startTestEdge(
  t: TestContext,
  options: Partial<EdgeOptions> & { source?: MemorySource } = {},
) {
  const source = options.source ?? new MemorySource();
  if (!options.source) source.deploy('a.test', SITE);
  const log = pino({ level: 'silent' });
  const edge = await startEdge({
    ...{ host: '127.0.0.1', port: 0, log, ...options, source },
    timeouts: { ...PATIENT, ...options.timeouts },
  });
  cleanUp(t, () => edge.close());
  return { ...edge, source, ask: askOf(edge.port) };
}

/** The connections that servers of this process take from now on and have not closed: their sides of them. */
export function takenConnections(t: TestContext): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  const add = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  subscribe('net.server.socket', add);
  cleanUp(t, () => unsubscribe('net.server.socket', add));
  return open;
}

/** Writes bytes on a bare connection and gives what comes until the server closes it, which it has to. */
export async function exchange(
  port: number,
  pieces: string | readonly string[],
  { pauseMs = 0 } = {},
): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  for (const piece of [pieces].flat()) {
    if (!socket.destroyed) socket.write(piece, 'latin1');
    await sleep(pauseMs);
  }
  if (!socket.closed) {
    const closed = new Promise((resolve) => socket.once('close', () => resolve(true)));
    const isClosed = await Promise.race([closed, sleep(HANGS_MS, false, { ref: false })]);
    assert.ok(isClosed, `the connection stays open: ${received.slice(0, 500)}`);
  }
  socket.destroy();
  return received;
}

/** The statuses of the answers in what came over the wire. */
export const statuses = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
