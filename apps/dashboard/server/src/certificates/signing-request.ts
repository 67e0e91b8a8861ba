import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from './x509.ts';

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * A certificate signing request (RFC 2986) for DNS names, in DER. `key`: a private key of the curve P-256, in PEM. Its
 * subject is empty: authorities read the names alone.
 */
export async function signingRequest(names: readonly string[], key: string): Promise<Buffer> {
  const privateKey = createPrivateKey(key);
  const keys = {
    privateKey: privateKey.toCryptoKey(ECDSA, false, ['sign']),
    publicKey: createPublicKey(privateKey).toCryptoKey(ECDSA, true, ['verify']),
  } as CryptoKeyPair;
  const request = await Pkcs10CertificateRequestGenerator.create(
    {
      keys,
      signingAlgorithm: ECDSA,
      extensions: [
        new SubjectAlternativeNameExtension(
          names.map((value) => ({ type: 'dns' as const, value })),
        ),
      ],
    },
    webcrypto as Crypto,
  );
  return Buffer.from(request.rawData);
}
