import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import { http1Options, limitConnections, limitPerAddress } from '../connections/limits.ts';
import {
  drainable,
  type EdgeListener,
  interceptConnections,
  type ListenAt,
  listen,
  type ServerContext,
} from '../connections/listener.ts';
import { serveFastPath } from '../fast-path/connections.ts';
import { serveHttp1 } from '../http/http1.ts';
import { http2Sessions } from '../http2/sessions.ts';
import type { CacheLimits, SiteCache } from '../sites/site-cache.ts';
import type { SiteSource } from '../sites/site-source.ts';
import { challengeContexts, contextChooser } from './choose-context.ts';
import { Handshakes } from './handshakes.ts';
import { HostContexts } from './host-contexts.ts';
import { LiveConnections } from './live-connections.ts';
import { ACME_TLS, CIPHERS, SECURE_OPTIONS, serverNameOf } from './protocol.ts';

/** This many take one core half a second. */
const MAX_HANDSHAKES = 1_000;

interface HttpsOptions {
  readonly at: ListenAt;
  readonly maxHandshakes?: number | undefined;
  readonly source: SiteSource;
  readonly cache: SiteCache;
  readonly limits: CacheLimits;
}

export interface HttpsListener extends EdgeListener {
  /** Drops the certificates of projects, of all when there is no list. Call it after the cache's own. */
  invalidate(projectIds: ReadonlySet<string> | undefined): void;
}

/** Serves HTTP/2 and HTTP/1.1 over TLS 1.2 and 1.3. Rejects with Node's error when it cannot listen. */
export async function startHttpsServer(
  { at, maxHandshakes = MAX_HANDSHAKES, source, cache, limits }: HttpsOptions,
  context: ServerContext,
): Promise<HttpsListener> {
  const { respond, fastPath, failures, log, timeouts, closing } = context;
  const contexts = new HostContexts(source, cache, limits.contexts);
  const live = new LiveConnections(cache);
  const choose = contextChooser(contexts, live, challengeContexts(source));

  const handshakes = new Handshakes(maxHandshakes, timeouts.clientHello);
  const server = createServer({
    ...http1Options(timeouts),
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    secureOptions: SECURE_OPTIONS,
    handshakeTimeout: timeouts.handshake,
    // Node calls both callbacks as methods of the connection.
    ALPNCallback(this: TLSSocket, { protocols }: { protocols: string[] }) {
      handshakes.helloReceived(this);
      return choose.protocol(this, protocols);
    },
    SNICallback(this: TLSSocket, serverName: string, done: SniDone) {
      handshakes.helloReceived(this);
      const chosen = choose.context(this, serverName);
      if (!(chosen instanceof Promise)) done(null, chosen);
      else {
        chosen
          .catch((error) => failures.report(error))
          .then((found) => done(null, found ?? undefined));
      }
    },
  });
  limitConnections(server, timeouts);

  const isAllowed = limitPerAddress(context.connectionsPerAddress);
  const startHandshake = interceptConnections(server, 'connection');
  server.on('connection', (socket: Socket) => {
    if (isAllowed(socket) && handshakes.start(socket)) startHandshake(socket);
    else socket.destroy();
  });
  // The client was refused or left. Node's own listener would treat that as a bad request.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (_error, socket) => socket.destroy());

  const http2 = http2Sessions(context);
  const acceptForServer = interceptConnections(server, 'secureConnection');
  const fastPathConnections =
    fastPath && serveFastPath(acceptForServer, fastPath, timeouts, closing);
  server.on('secureConnection', (socket) => {
    handshakes.end(socket);
    if (socket.alpnProtocol === 'h2') http2.accept(socket);
    else if (socket.alpnProtocol === ACME_TLS) closeAfterHandshake(socket);
    else if (fastPathConnections) fastPathConnections.accept(socket, serverNameOf(socket));
    else acceptForServer(socket);
  });
  serveHttp1(server, {
    ...{ respond, failures, log, closing },
    serverNameOf: (socket) => serverNameOf(socket as TLSSocket),
  });
  const drain = drainable(server, 'secureConnection', () => {
    handshakes.destroyLong();
    http2.close();
    fastPathConnections?.closeIdle();
  });

  return {
    port: await listen(server, at),
    drain: () => drain(timeouts.drain),
    invalidate(projectIds) {
      contexts.invalidate(projectIds);
      void live.closeRemoved(projectIds);
    },
  };
}

type SniDone = (error: Error | null, context?: SecureContext) => void;

/** RFC 8737, section 3: no data follows the handshake. */
function closeAfterHandshake(socket: TLSSocket): void {
  socket.on('error', () => socket.destroy());
  socket.destroySoon();
}
