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
 * Nothing resumes: a ticket would be taken without a question about its host, which may be gone. They are
 * options of the server; on the context of a host they would have no effect. A renegotiation is work for
 * the asking, and nobody's need.
 */
export const SECURE_OPTIONS = constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION;

/** RFC 8737, section 6.2. */
export const ACME_TLS = 'acme-tls/1';

/** Best first. */
const PROTOCOLS = ['h2', 'http/1.1'] as const;

/** What to speak of what a client offers by ALPN; undefined: nothing (RFC 7301, section 3.2). */
export function chooseProtocol(offered: readonly string[]): string | undefined {
  // RFC 8737, section 3: an authority that validates offers this and nothing else.
  if (offered.length === 1 && offered[0] === ACME_TLS) return ACME_TLS;
  return PROTOCOLS.find((protocol) => offered.includes(protocol));
}

/** The canonical name by which a TLS connection was made; the server takes none without. */
export function serverNameOf({ servername }: { servername?: unknown }): string {
  return canonicalHost(String(servername)) ?? '';
}
