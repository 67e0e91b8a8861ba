import type { Socket } from 'node:net';
import { createServer } from '@petstore/http/node-http.ts';
import { answerPlainRequests } from '../fast-path/connections.ts';
import { serveRequests } from '../http/http1.ts';
import { drainable } from './drain.ts';
import { connectionsPerAddress, http1Options, limitConnections } from './limits.ts';
import { type EdgePart, listen, type Shared, takeConnections } from './listener.ts';

/** Serves HTTP/1 without TLS. Rejects when it can't listen, with Node's error. */
export async function startPlainServer(
  { host, port }: { host: string; port: number },
  shared: Shared,
): Promise<EdgePart> {
  const { respond, answerPlainly, failures, log, timeouts, closing } = shared;
  const server = createServer(http1Options(timeouts));
  limitConnections(server, timeouts);
  const acceptForServer = takeConnections(server, 'connection');
  const short =
    answerPlainly && answerPlainRequests(acceptForServer, answerPlainly, timeouts, closing);
  const mayStay = connectionsPerAddress(shared.connectionsPerAddress);
  server.on('connection', (socket: Socket) => {
    if (!mayStay(socket)) socket.destroy();
    else if (short) short.accept(socket, undefined);
    else acceptForServer(socket);
  });
  const drain = drainable(server, 'connection', () => short?.closeIdle());
  serveRequests(server, { respond, serverNameOf: () => undefined, failures, log, closing });
  return { port: await listen(server, host, port), drain: () => drain(timeouts.drain) };
}
