import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { concurrencyLimit } from '@petstore/service/concurrency-limit.ts';
import { type CanonicalHost, canonicalHost } from '../host.ts';
import type { MaybePromise } from '../sites/site-cache.ts';
import type { SiteSource } from '../sites/site-source.ts';
import { SingleFlight, withReadTimeout } from '../store-reads.ts';
import type { HostContext, HostContexts } from './host-contexts.ts';
import type { LiveConnections } from './live-connections.ts';
import { ACME_TLS, CIPHERS, chooseProtocol } from './protocol.ts';

/**
 * Chooses the protocol and the certificate of a handshake, by the protocols and the server name that the client sends.
 * The handshake fails where there is no certificate for the name; without a name Node does not ask here.
 *
 * OpenSSL asks for the protocol before the certificate in TLS 1.3, and after it in 1.2. So challenges, whose
 * certificate depends on the protocol, are for TLS 1.3 alone, which authorities speak.
 */
export function contextChooser(
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
        live.add(host, found.projectId, socket);
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
export function challengeContexts(source: Pick<SiteSource, 'findTlsChallenge'>) {
  const reads = new SingleFlight<SecureContext | undefined>();
  const limited = concurrencyLimit(
    MAX_RUNNING,
    MAX_WAITING,
    () => new Error('Too many look-ups of challenges are waiting.'),
  );

  const make = async (host: CanonicalHost): Promise<SecureContext | undefined> => {
    const keyAuthorization = await withReadTimeout(source.findTlsChallenge(host));
    if (keyAuthorization === undefined) return undefined;
    // Loaded on first use, which is rare.
    const { crypto } = await import('acme-client');
    const [key, cert] = await crypto.createAlpnCertificate(
      { url: '', status: 'pending', challenges: [], identifier: { type: 'dns', value: host } },
      keyAuthorization,
      await crypto.createPrivateEcdsaKey(),
    );
    return createSecureContext({ key, cert, ca: [], ciphers: CIPHERS });
  };

  return (host: CanonicalHost): Promise<SecureContext | undefined> =>
    reads.read(host, () => limited(() => make(host)));
}
