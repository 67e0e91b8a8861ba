import * as x509 from '@peculiar/x509';

/** What a server on loopback needs to speak TLS, and whom its clients have to trust. All PEM. */
export interface LoopbackCertificate {
  readonly certificate: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;

/** A certificate for `localhost` and 127.0.0.1, of a key made now, that vouches for itself. Good for 30 days. */
export async function makeLoopbackCertificate(): Promise<LoopbackCertificate> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: '01',
      name: 'CN=The lab on loopback',
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + 30 * DAY_MS),
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.SubjectAlternativeNameExtension([
          { type: 'dns', value: 'localhost' },
          { type: 'ip', value: '127.0.0.1' },
        ]),
      ],
    },
    crypto,
  );
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = x509.PemConverter.encode(der, 'PRIVATE KEY');
  return { certificate: certificate.toString('pem'), key };
}
