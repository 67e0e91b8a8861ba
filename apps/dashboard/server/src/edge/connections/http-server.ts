import type { Socket } from 'node:net';
import { createServer } from '@petstore/http/node-http.ts';
import { serveFastPath } from '../fast-path/connections.ts';
import { serveHttp1 } from '../http/http1.ts';
import { http1Options, limitConnections, limitPerAddress } from './limits.ts';
import {
  drainable,
  type EdgeListener,
  interceptConnections,
  type ListenAt,
  listen,
  type ServerContext,
} from './listener.ts';

/** Serves HTTP/1 without TLS. Rejects with Node's error when it cannot listen. */
export async function startHttpServer(at: ListenAt, context: ServerContext): Promise<EdgeListener> {
  const { respond, fastPath, failures, log, timeouts, closing } = context;
  const server = createServer(http1Options(timeouts));
  limitConnections(server, timeouts);
  const acceptForServer = interceptConnections(server, 'connection');
  const fastPathConnections =
    fastPath && serveFastPath(acceptForServer, fastPath, timeouts, closing);
  const isAllowed = limitPerAddress(context.connectionsPerAddress);
  server.on('connection', (socket: Socket) => {
    if (!isAllowed(socket)) socket.destroy();
    else if (fastPathConnections) fastPathConnections.accept(socket, undefined);
    else acceptForServer(socket);
  });
  const drain = drainable(server, 'connection', () => fastPathConnections?.closeIdle());
  serveHttp1(server, { respond, serverNameOf: () => undefined, failures, log, closing });
  return { port: await listen(server, at), drain: () => drain(timeouts.drain) };
}
