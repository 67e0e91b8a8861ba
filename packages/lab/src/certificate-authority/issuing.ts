import { randomBytes } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PublicKey,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from './x509.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const YEAR_MS = 365 * 24 * 3_600_000;

/** How long before now certificates begin to be valid, in milliseconds, for clients whose clocks are behind. */
const BACKDATED_MS = 3_600_000;

interface Signer {
  readonly certificate: X509Certificate;
  readonly keys: CryptoKeyPair;
}

/** A new root and intermediate, with which an authority issues. */
export interface Issuing {
  readonly rootPem: string;
  /** A certificate for a DNS name, or for names and addresses, issued by the intermediate. */
  issue(names: readonly Name[], publicKey: PublicKey, lifetimeMs: number): Promise<Issued>;
}

interface Name {
  readonly type: 'dns' | 'ip';
  readonly value: string;
}

export interface Issued {
  /** PEM: the certificate, then the intermediate's. */
  readonly chain: string;
  /** RFC 9773, section 4.1. */
  readonly ariId: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** `now`: the clock, in milliseconds since 1970. */
export async function createIssuing(name: string, now: () => number): Promise<Issuing> {
  const root = await authority(`O=${name}, CN=${name} Root`, now());
  const intermediate = await authority(`O=${name}, CN=${name} R1`, now(), root);
  return {
    rootPem: root.certificate.toString('pem'),
    async issue(names, publicKey, lifetimeMs) {
      const notBefore = new Date(now() - BACKDATED_MS);
      const notAfter = new Date(notBefore.getTime() + lifetimeMs);
      const certificate = await X509CertificateGenerator.create({
        serialNumber: serial(),
        subject: '',
        issuer: intermediate.certificate.subject,
        notBefore,
        notAfter,
        publicKey,
        signingKey: intermediate.keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new BasicConstraintsExtension(false, undefined, true),
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
          // RFC 5280, section 4.2.1.6: critical where there is no subject.
          new SubjectAlternativeNameExtension([...names], true),
          await AuthorityKeyIdentifierExtension.create(intermediate.keys.publicKey),
        ],
      });
      const chain = `${certificate.toString('pem')}\n${intermediate.certificate.toString('pem')}\n`;
      return { chain, ariId: ariId(certificate), notBefore, notAfter };
    },
  };
}

async function authority(subject: string, now: number, signer?: Signer): Promise<Signer> {
  const keys = await makeKeys();
  const extensions: Extension[] = [
    new BasicConstraintsExtension(true, signer ? 0 : 1, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    await SubjectKeyIdentifierExtension.create(keys.publicKey),
  ];
  if (signer) extensions.push(await AuthorityKeyIdentifierExtension.create(signer.keys.publicKey));
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serial(),
    subject,
    issuer: signer?.certificate.subject ?? subject,
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now + 5 * YEAR_MS),
    publicKey: keys.publicKey,
    signingKey: (signer?.keys ?? keys).privateKey,
    signingAlgorithm: ALGORITHM,
    extensions,
  });
  return { certificate, keys };
}

function makeKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

/** Positive and of 16 bytes (RFC 5280, section 4.1.2.2), the first bit set: in DER a zero octet stands before it. */
function serial(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  return bytes.toString('hex');
}

function ariId(certificate: X509Certificate): string {
  const keyId = certificate.getExtension(AuthorityKeyIdentifierExtension)?.keyId ?? '';
  const [issuer, number] = [keyId, `00${certificate.serialNumber}`].map((hex) =>
    Buffer.from(hex, 'hex').toString('base64url'),
  );
  return `${issuer}.${number}`;
}

/** A server's own certificate for loopback, and its key, in PEM. */
export async function loopbackCertificate(
  issuing: Issuing,
): Promise<{ chain: string; key: string }> {
  const keys = await makeKeys();
  const names: Name[] = [
    { type: 'dns', value: 'localhost' },
    { type: 'ip', value: '127.0.0.1' },
  ];
  const { chain } = await issuing.issue(names, await PublicKey.create(keys.publicKey), YEAR_MS);
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    chain,
    key: `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`,
  };
}
