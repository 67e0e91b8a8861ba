import type { SecureContext, TLSSocket } from 'node:tls';
import { type CanonicalHost, canonicalHost } from '../host.ts';
import type { MaybePromise } from '../sites/site-cache.ts';
import type { HostContext, HostContexts } from './host-contexts.ts';
import type { LiveConnections } from './live-connections.ts';
import { ACME_TLS, chooseProtocol } from './protocol.ts';

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
