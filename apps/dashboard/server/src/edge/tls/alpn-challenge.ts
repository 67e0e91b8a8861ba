import { createSecureContext, type SecureContext } from 'node:tls';
import type { CanonicalHost } from '../host.ts';
import type { SiteSource } from '../sites/site-source.ts';
import { concurrencyLimit, SingleFlight, withReadTimeout } from '../store-reads.ts';
import { CIPHERS } from './protocol.ts';

/** Anybody can ask for a validation: so many at once, and so many that may wait. */
const AT_ONCE = 2;
const MAX_WAITING = 100;

/**
 * What a host proves itself with to an authority that validates it over TLS (RFC 8737, section 3): a
 * certificate of its own making, which holds the key authorization. undefined where no challenge is under way.
 */
export function challengeContexts(source: Pick<SiteSource, 'findTlsChallenge'>) {
  const reads = new SingleFlight<SecureContext | undefined>();
  const limited = concurrencyLimit(AT_ONCE, MAX_WAITING);

  const make = async (host: CanonicalHost): Promise<SecureContext | undefined> => {
    const keyAuthorization = await withReadTimeout(source.findTlsChallenge(host));
    if (keyAuthorization === undefined) return undefined;
    // Loaded when it is needed, which it seldom is.
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
