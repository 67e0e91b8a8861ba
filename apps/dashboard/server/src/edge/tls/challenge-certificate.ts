import { hash, webcrypto } from 'node:crypto';
import {
  Extension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '../../certificates/x509.ts';

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 3_600_000;

/** RFC 8737, section 3. */
const ACME_IDENTIFIER = '1.3.6.1.5.5.7.1.31';

/** The tag and the length of an OCTET STRING of 32 bytes, in DER. */
const OCTETS_32 = [0x04, 0x20];

/**
 * The certificate of a TLS-ALPN-01 challenge (RFC 8737, section 3), and its key, in PEM: self-signed, for the host alone,
 * with the SHA-256 of the key authorization in it.
 */
export async function challengeCertificate(
  host: string,
  keyAuthorization: string,
): Promise<{ key: string; cert: string }> {
  const keys = await webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
  const digest = hash('sha256', keyAuthorization, 'buffer');
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=${host}`,
      // Authorities' clocks may be behind.
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + DAY_MS),
      keys: keys as CryptoKeyPair,
      signingAlgorithm: ECDSA,
      extensions: [
        new SubjectAlternativeNameExtension([{ type: 'dns', value: host }]),
        new Extension(ACME_IDENTIFIER, true, Buffer.concat([Buffer.from(OCTETS_32), digest])),
      ],
    },
    webcrypto as Crypto,
  );
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { key: PemConverter.encode(key, 'PRIVATE KEY'), cert: certificate.toString('pem') };
}
