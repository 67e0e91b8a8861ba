import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { concurrencyLimit } from '@petstore/service/concurrency-limit.ts';
import { SingleFlight } from '@petstore/service/single-flight.ts';
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
import { type CanonicalHost, canonicalHost } from '../host.ts';
import { serveHttp1 } from '../http/http1.ts';
import { serveHttp2 } from '../http2/http2-server.ts';
import { ownHostSessions } from '../own-hosts/http2-sessions.ts';
import type { CacheLimits, MaybePromise, SiteCache } from '../sites/site-cache.ts';
import type { SiteSource } from '../sites/site-source.ts';
import { FailedHandshakes } from './failed-handshakes.ts';
import { type HostContext, HostContexts } from './host-contexts.ts';
import { LiveConnections } from './live-connections.ts';
import { ACME_TLS, CIPHERS, chooseProtocol, SECURE_OPTIONS, serverNameOf } from './protocol.ts';

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
  const { fastPath, ownHosts, failures, log, timeouts, closing, metrics } = context;
  const counted = metrics?.over('https');
  const respond = counted?.counted(context.respond) ?? context.respond;
  const contexts = new HostContexts(source, cache, limits.contexts);
  const live = new LiveConnections(cache);
  const choose = contextChooser(contexts, live, challengeContexts(source));

  const outcomes = metrics && new FailedHandshakes(metrics);
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
      const take = (found: SecureContext | undefined) => {
        if (!found) outcomes?.note(this, 'no_certificate');
        done(null, found);
      };
      const chosen = choose.context(this, serverName);
      if (!(chosen instanceof Promise)) take(chosen);
      else
        chosen.catch((error) => failures.report(error)).then((found) => take(found ?? undefined));
    },
  });
  limitConnections(server, timeouts);

  const isAllowed = limitPerAddress(context.connectionsPerAddress);
  const startHandshake = interceptConnections(server, 'connection');
  server.on('connection', (socket: Socket) => {
    metrics?.connection(socket, 'https');
    if (isAllowed(socket) && handshakes.start(socket)) startHandshake(socket);
    else {
      metrics?.handshake('refused');
      socket.destroy();
    }
  });
  // The client was refused or left. Node's own listener would treat that as a bad request.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (error, socket) => {
    outcomes?.failed(socket, error);
    socket.destroy();
  });

  serveHttp1(server, {
    ...{ respond, failures, log, closing },
    serverNameOf: (socket) => serverNameOf(socket as TLSSocket),
  });
  const http2 = serveHttp2({
    ...context,
    respond: metrics?.over('h2').counted(context.respond) ?? context.respond,
  });
  const ownSessions = ownHostSessions(context);
  const acceptForServer = interceptConnections(server, 'secureConnection');
  const fastPathConnections =
    fastPath && serveFastPath(acceptForServer, fastPath, timeouts, closing, counted);
  server.on('secureConnection', (socket) => {
    handshakes.end(socket);
    const { alpnProtocol } = socket;
    metrics?.handshake(alpnProtocol === ACME_TLS ? 'challenge' : 'done');
    const serverName = serverNameOf(socket);
    const own = ownHosts.get(serverName);
    if (alpnProtocol === ACME_TLS) closeAfterHandshake(socket);
    else if (own && alpnProtocol === 'h2') ownSessions.accept(socket, own);
    else if (own) own.server.emit('connection', socket);
    else if (alpnProtocol === 'h2') http2.accept(socket);
    else if (fastPathConnections) fastPathConnections.accept(socket, serverName);
    else acceptForServer(socket);
  });
  const ownServers = [...ownHosts.values()].map((own) => own.server);
  for (const ownServer of ownServers)
    ownServer.prependListener('request', (_request, response) => {
      if (closing.aborted) response.shouldKeepAlive = false;
    });
  const closeOtherIdle = () => {
    handshakes.destroyLong();
    http2.close();
    ownSessions.close();
    fastPathConnections?.closeIdle();
  };
  const drain = drainable([server, ...ownServers], 'secureConnection', closeOtherIdle);

  return {
    port: await listen(server, at),
    drain(gracePeriod) {
      http2.retire();
      ownSessions.retire();
      return drain(timeouts.drain, gracePeriod);
    },
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

/**
 * Chooses the protocol and the certificate of a handshake, by the protocols and the server name that the client sends.
 * The handshake fails where there is no certificate for the name; without a name Node does not ask here.
 *
 * OpenSSL asks for the protocol before the certificate in TLS 1.3, and after it in 1.2. So challenges, whose
 * certificate depends on the protocol, are for TLS 1.3 alone, which authorities speak.
 */
function contextChooser(
  contexts: HostContexts,
  live: LiveConnections,
  challengeContext: (host: CanonicalHost) => Promise<SecureContext | undefined>,
) {
  const challenges = new WeakSet<TLSSocket>();
  const chosen = new WeakSet<TLSSocket>();

  return {
    /** The protocol to speak; undefined refuses the client. */
    protocol(socket: TLSSocket, offered: readonly string[]): string | undefined {
      const protocol = chooseProtocol(offered);
      if (protocol !== ACME_TLS) return protocol;
      if (chosen.has(socket)) return undefined;
      challenges.add(socket);
      return protocol;
    },

    /** `serverName`: as it arrived, in any spelling. Rejects when the store is unavailable. */
    context(socket: TLSSocket, serverName: string): MaybePromise<SecureContext | undefined> {
      const host = canonicalHost(serverName);
      if (!host) return undefined;
      if (challenges.has(socket)) return challengeContext(host);
      chosen.add(socket);
      const choose = (found: HostContext | undefined) => {
        if (!found) return undefined;
        // With the wildcard's certificate each request finds out what the host serves.
        if (found.projectId !== undefined) live.add(host, found.projectId, socket);
        return found.context;
      };
      const found = contexts.find(host);
      return found instanceof Promise ? found.then(choose) : choose(found);
    },
  };
}

/** Anyone can start a validation, so both are bounded: those in progress and those waiting. */
const MAX_RUNNING = 2;
const MAX_WAITING = 100;

/**
 * The certificates of TLS-ALPN-01 challenges (RFC 8737, section 3): self-signed, with the key authorization in them.
 * undefined where the host has no challenge.
 */
function challengeContexts(source: Pick<SiteSource, 'findTlsChallenge'>) {
  const reads = new SingleFlight<SecureContext | undefined>();
  const limited = concurrencyLimit(
    MAX_RUNNING,
    MAX_WAITING,
    () => new Error('Too many look-ups of challenges are waiting.'),
  );

  const make = async (host: CanonicalHost): Promise<SecureContext | undefined> => {
    const keyAuthorization = await source.findTlsChallenge(host);
    if (keyAuthorization === undefined) return undefined;
    // Loaded on first use, which is rare.
    const { challengeCertificate } = await import('./challenge-certificate.ts');
    const { key, cert } = await challengeCertificate(host, keyAuthorization);
    return createSecureContext({ key, cert, ca: [], ciphers: CIPHERS });
  };

  return (host: CanonicalHost): Promise<SecureContext | undefined> =>
    reads.read(host, () => limited(() => make(host)));
}

/** After this time the client of a handshake has probably gone. */
const LONG_MS = 1_000;

interface Handshake {
  readonly socket: Socket;
  readonly startedAt: number;
  readonly silence: NodeJS.Timeout;
}

/**
 * Bounds the handshakes in progress: each costs a millisecond of CPU for one packet. A connection without a ClientHello
 * costs its client even less, so when there are too many, the oldest silent one is closed.
 */
class Handshakes {
  readonly #max: number;
  readonly #helloMs: number;
  /** Without a ClientHello, and with one; each with the oldest first. */
  readonly #silent = new Map<string, Handshake>();
  readonly #started = new Map<string, Handshake>();

  /** `helloMs`: timeout for the whole ClientHello. */
  constructor(max: number, helloMs: number) {
    this.#max = max;
    this.#helloMs = helloMs;
  }

  /** Registers a new connection; false where there are too many. */
  start(socket: Socket): boolean {
    if (this.#silent.size + this.#started.size >= this.#max && !this.#makeRoom()) return false;
    const name = peerOf(socket);
    const silence = setTimeout(() => socket.destroy(), this.#helloMs).unref();
    const handshake = { socket, startedAt: performance.now(), silence };
    this.#silent.set(name, handshake);
    socket.once('close', () => {
      clearTimeout(silence);
      for (const handshakes of [this.#silent, this.#started]) {
        if (handshakes.get(name) === handshake) handshakes.delete(name);
      }
    });
    return true;
  }

  /** The ClientHello has arrived. `socket` may be the TLS socket over the connection, which has the same peer. */
  helloReceived(socket: Socket): void {
    const name = peerOf(socket);
    const handshake = this.#silent.get(name);
    if (!handshake) return;
    clearTimeout(handshake.silence);
    this.#silent.delete(name);
    this.#started.set(name, handshake);
  }

  /** The handshake is done. `socket` as above. */
  end(socket: Socket): void {
    this.#started.delete(peerOf(socket));
  }

  /** Ends those whose clients have probably gone. */
  destroyLong(): void {
    for (const handshakes of [this.#silent, this.#started]) {
      for (const handshake of handshakes.values()) {
        if (isLong(handshake)) handshake.socket.destroy();
      }
    }
  }

  #makeRoom(): boolean {
    const [silent] = this.#silent;
    const [started] = this.#started;
    const oldest = silent ?? (started && isLong(started[1]) ? started : undefined);
    if (!oldest) return false;
    const [name, { socket }] = oldest;
    (silent ? this.#silent : this.#started).delete(name);
    socket.destroy();
    return true;
  }
}

function isLong({ startedAt }: Handshake): boolean {
  return performance.now() - startedAt > LONG_MS;
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
