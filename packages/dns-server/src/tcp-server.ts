import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Responder } from './responder.ts';

/** How long a connection may be without a whole query, in milliseconds (RFC 7766, section 6.2.3, RFC 9210). */
const IDLE_MS = 10_000;
/** The same while most of the connections are taken. */
const BUSY_IDLE_MS = 2_000;

/** Connections at once, and those of one address. Of more, the ones that are idle for longest are closed. */
const MAX_CONNECTIONS = 500;
const MAX_OF_ADDRESS = 50;

/** Queries have some hundred bytes at most, with all their options. */
const MAX_QUERY_BYTES = 4_096;

export interface TcpServer {
  readonly port: number;
  /** No new connections; those that there are end once their responses are sent, or after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Answers over TCP (RFC 7766). Rejects with the system's error where it cannot listen. */
export async function openTcp(
  host: string,
  port: number,
  responder: Responder,
): Promise<TcpServer> {
  /** In the order of their last query, the latest last. */
  const open = new Map<Socket, string>();
  const server = createServer({ noDelay: true }, (socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return socket.destroy();
    makeRoom(open, remoteAddress);
    open.set(socket, remoteAddress);
    serve(socket, {
      idleMs: () => (open.size > MAX_CONNECTIONS / 2 ? BUSY_IDLE_MS : IDLE_MS),
      respond: (message, idleMs) => {
        if (open.delete(socket)) open.set(socket, remoteAddress);
        return responder.respond(message, remoteAddress, { idleMs });
      },
    });
    socket.on('close', () => open.delete(socket));
    return undefined;
  });
  server.listen({ host, port, backlog: 128 });
  await once(server, 'listening');
  // Such as no more descriptors: the connections that there are go on.
  server.on('error', () => undefined);
  return {
    port: (server.address() as { port: number }).port,
    close: (ms) => closeAll(server, open, ms),
  };
}

function makeRoom(open: ReadonlyMap<Socket, string>, address: string): void {
  const own = [...open].filter(([, other]) => other === address);
  const [oldest] = own.length >= MAX_OF_ADDRESS ? own : open.size >= MAX_CONNECTIONS ? open : [];
  oldest?.[0].destroy();
}

async function closeAll(server: Server, open: ReadonlyMap<Socket, string>, graceMs: number) {
  const closed = once(server, 'close');
  server.close();
  for (const socket of open.keys()) socket.end();
  const timer = setTimeout(() => {
    for (const socket of open.keys()) socket.destroy();
  }, graceMs);
  await closed;
  clearTimeout(timer);
}

interface Connection {
  idleMs(): number;
  respond(message: Buffer, idleMs: number): Buffer | undefined;
}

/** Each message has its length in front, two bytes (RFC 1035, section 4.2.2). Any number may come before an answer. */
function serve(socket: Socket, { idleMs, respond }: Connection): void {
  let received: Buffer = Buffer.alloc(0);
  let timer: NodeJS.Timeout;
  // Not `setTimeout` of the socket: single bytes, sent slowly, would keep that from ending it.
  const waitForQuery = () => {
    clearTimeout(timer);
    timer = setTimeout(() => socket.destroy(), idleMs());
  };
  waitForQuery();
  socket.on('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  // Who does not read its responses gets to send no more queries.
  socket.on('drain', () => socket.resume());
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const responses: Buffer[] = [];
    if (received.length >= 2 && received.readUInt16BE(0) > MAX_QUERY_BYTES)
      return void socket.destroy();
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const response = respond(received.subarray(2, end), idleMs());
      received = received.subarray(end);
      waitForQuery();
      // What is not a query is not followed by one either.
      if (!response) return void socket.destroy();
      const length = Buffer.alloc(2);
      length.writeUInt16BE(response.length);
      responses.push(length, response);
    }
    if (responses.length > 0 && socket.writable && !socket.write(Buffer.concat(responses)))
      socket.pause();
    return undefined;
  });
}
