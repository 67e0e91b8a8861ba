import type { Socket } from 'node:net';
import { createServer } from '@petstore/http/node-http.ts';
import { serveFastPath } from '../fast-path/connections.ts';
import { serveHttp1 } from '../http/http1.ts';
import { drainable } from './drain.ts';
import { http1Options, limitConnections, limitPerAddress } from './limits.ts';
import { type EdgeListener, interceptConnections, listen, type ServerContext } from './listener.ts';

/** Serves HTTP/1 without TLS. Rejects when it can't listen, with Node's error. */
export async function startHttpServer(
  { host, port }: { host: string; port: number },
  shared: ServerContext,
): Promise<EdgeListener> {
  const { respond, fastPath: answerPlainly, failures, log, timeouts, closing } = shared;
  const server = createServer(http1Options(timeouts));
  limitConnections(server, timeouts);
  const acceptForServer = interceptConnections(server, 'connection');
  const short = answerPlainly && serveFastPath(acceptForServer, answerPlainly, timeouts, closing);
  const mayStay = limitPerAddress(shared.connectionsPerAddress);
  server.on('connection', (socket: Socket) => {
    if (!mayStay(socket)) socket.destroy();
    else if (short) short.accept(socket, undefined);
    else acceptForServer(socket);
  });
  const drain = drainable(server, 'connection', () => short?.closeIdle());
  serveHttp1(server, { respond, serverNameOf: () => undefined, failures, log, closing });
  return { port: await listen(server, host, port), drain: () => drain(timeouts.drain) };
}
