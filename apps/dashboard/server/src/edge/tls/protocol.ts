import { constants } from 'node:crypto';
import { canonicalHost } from '../host.ts';

/** Best first. Those of TLS 1.2 are the ones that HTTP/2 allows (RFC 9113, section 9.2.2). */
export const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/**
 * No session resumption: a ticket would be accepted without a look-up of its host, which may be removed. These are
 * options of the server; on a host's context they would have no effect. No renegotiation: it costs the server work and
 * no client needs it.
 */
export const SECURE_OPTIONS = constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION;

/** RFC 8737, section 6.2. */
export const ACME_TLS = 'acme-tls/1';

/** Best first. */
const PROTOCOLS = ['h2', 'http/1.1'] as const;

/** The protocol of those that a client offers by ALPN; undefined: none (RFC 7301, section 3.2). */
export function chooseProtocol(offered: readonly string[]): string | undefined {
  // RFC 8737, section 3: a validating authority offers this protocol alone.
  if (offered.length === 1 && offered[0] === ACME_TLS) return ACME_TLS;
  return PROTOCOLS.find((protocol) => offered.includes(protocol));
}

/** The canonical server name of a TLS connection; the server accepts none without a name. */
export function serverNameOf({ servername }: { servername?: unknown }): string {
  return canonicalHost(String(servername)) ?? '';
}
