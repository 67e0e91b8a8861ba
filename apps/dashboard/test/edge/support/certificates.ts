import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '../../../server/src/certificates/x509.ts';
import type { HostCertificate } from '../../../server/src/edge/sites/site-source.ts';

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const HOUR_MS = 3_600_000;

interface Signer {
  readonly name: string;
  readonly keys: CryptoKeyPair;
}

let serial = 0;

async function certify(
  name: string,
  keys: CryptoKeyPair,
  signer: Signer,
  extensions: readonly (BasicConstraintsExtension | SubjectAlternativeNameExtension)[],
): Promise<string> {
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: (++serial).toString(16).padStart(4, '0'),
      subject: `CN=${name}`,
      issuer: `CN=${signer.name}`,
      notBefore: new Date(Date.now() - HOUR_MS),
      notAfter: new Date(Date.now() + HOUR_MS),
      publicKey: keys.publicKey,
      signingKey: signer.keys.privateKey,
      signingAlgorithm: ECDSA,
      extensions: [...extensions],
    },
    webcrypto as Crypto,
  );
  return certificate.toString('pem');
}

const newKeys = (): Promise<CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']) as Promise<CryptoKeyPair>;

async function makeAuthority() {
  const root: Signer = { name: 'Test root', keys: await newKeys() };
  const between: Signer = { name: 'Test intermediate', keys: await newKeys() };
  const isAuthority = new BasicConstraintsExtension(true, undefined, true);
  const rootPem = await certify(root.name, root.keys, root, [isAuthority]);
  const betweenPem = await certify(between.name, between.keys, root, [isAuthority]);
  return {
    /** PEM: what clients trust, and nothing else. */
    root: rootPem,
    /** A certificate of a host, good for an hour, with the intermediate behind it. */
    async issue(host: string): Promise<HostCertificate & { readonly serial: string }> {
      const keys = await newKeys();
      const names = new SubjectAlternativeNameExtension([{ type: 'dns', value: host }]);
      const own = await certify(host, keys, between, [names]);
      const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
      return {
        id: `${host} ${serial}`,
        serial: serial.toString(16).padStart(4, '0').toUpperCase(),
        chain: `${own}\n${betweenPem}\n`,
        key: PemConverter.encode(key, 'PRIVATE KEY'),
      };
    },
  };
}

/** One for all tests of a file: its keys take time. */
export const authority = await makeAuthority();
