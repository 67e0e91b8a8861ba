import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { AuditEntry } from '../../../server/src/audit/audit-entry.ts';

// A receiver of syslog, by the letter of RFC 5424 and of octet counting (RFC 6587).

export interface SyslogMessage {
  readonly priority: number;
  readonly timestamp: string;
  readonly hostname: string;
  readonly application: string;
  readonly id: string;
  readonly entry: AuditEntry;
}

export interface Receiver {
  readonly port: number;
  readonly messages: SyslogMessage[];
  /** The ids of what came, in the order in which it came. */
  ids(): number[];
  /** Waits until an entry with this id has come. */
  received(id: number): Promise<unknown>;
  close(): Promise<void>;
}

interface Options {
  readonly port?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Takes a connection in place of reading it; false: it is to be read. */
  readonly onConnection?: (socket: Socket) => boolean;
}

export async function startReceiver(
  t: Ending,
  { port = 0, tls, onConnection = () => false }: Options = {},
): Promise<Receiver> {
  const messages: SyslogMessage[] = [];
  const sockets = new Set<Socket>();
  const take = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (onConnection(socket)) return;
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      rest = readFrames(Buffer.concat([rest, bytes]), messages);
    });
    socket.on('end', () => assert.equal(rest.length, 0, 'a connection ends with a whole message'));
  };
  const server: Server = tls ? createTlsServer(tls, take) : createTcpServer(take);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  cleanUp(t, close);
  return { port: (server.address() as AddressInfo).port, close, ...readOf(messages) };
}

export async function startUdpReceiver(t: Ending): Promise<Receiver> {
  const messages: SyslogMessage[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (bytes) => messages.push(parse(bytes.toString())));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  let isOpen = true;
  const close = async () => {
    if (isOpen) socket.close();
    isOpen = false;
  };
  cleanUp(t, close);
  return { port: socket.address().port, close, ...readOf(messages) };
}

function readOf(messages: SyslogMessage[]) {
  const ids = () => messages.map(({ entry }) => entry.id);
  return { messages, ids, received: (id: number) => timeUntil(async () => ids().includes(id)) };
}

/** Takes whole messages from the front, and returns what is left. */
function readFrames(bytes: Buffer, messages: SyslogMessage[]): Buffer {
  for (let at = 0; ; ) {
    const space = bytes.indexOf(' ', at);
    if (space === -1) return bytes.subarray(at);
    const length = bytes.subarray(at, space).toString();
    assert.match(length, /^[1-9][0-9]*$/, 'a frame begins with its length');
    const end = space + 1 + Number(length);
    if (bytes.length < end) return bytes.subarray(at);
    messages.push(parse(bytes.subarray(space + 1, end).toString()));
    at = end;
  }
}

/** RFC 5424, section 6, without structured data. */
const MESSAGE =
  /^<(0|[1-9]\d{0,2})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z) ([\x21-\x7e]{1,255}) ([\x21-\x7e]{1,48}) - ([\x21-\x7e]{1,32}) - (.*)$/s;

function parse(text: string): SyslogMessage {
  const match = MESSAGE.exec(text);
  assert.ok(match, `not a syslog message: ${text}`);
  const [, priority, timestamp = '', hostname = '', application = '', id = '', json = ''] = match;
  const entry = JSON.parse(json) as AuditEntry;
  return { priority: Number(priority), timestamp, hostname, application, id, entry };
}
