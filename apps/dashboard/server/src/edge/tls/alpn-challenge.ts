import { createSecureContext, type SecureContext } from 'node:tls';
import { concurrencyLimit } from '@petstore/service/concurrency-limit.ts';
import type { CanonicalHost } from '../host.ts';
import type { SiteSource } from '../sites/site-source.ts';
import { SingleFlight, withReadTimeout } from '../store-reads.ts';
import { CIPHERS } from './protocol.ts';

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
