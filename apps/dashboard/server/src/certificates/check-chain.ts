import { createPrivateKey, X509Certificate } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  X509Certificate as Parsed,
  serialOctets,
} from './x509.ts';

/** How far an authority's clock may be ahead, in milliseconds. */
const CLOCK_SKEW_MS = 5 * 60_000;

/** What is stored of a certificate, besides its chain and key. */
export interface IssuedCertificate {
  readonly issuer: string;
  /** Hexadecimal. */
  readonly serial: string;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** RFC 9773, section 4.1; undefined where the certificate does not name its issuer's key. */
  readonly ariId: string | undefined;
}

/** The chain that an authority sent is wrong. */
export class BadChainError extends Error {
  override name = 'BadChainError';
}

/**
 * Reads a chain in PEM, the host's own certificate first. Throws BadChainError unless it is for the host name
 * and the private key (PEM), is valid at `now`, and each certificate is signed by the next.
 */
export function checkChain(
  chain: string,
  hostname: string,
  key: string,
  now: number,
): IssuedCertificate {
  const certificates = readChain(chain);
  const [leaf] = certificates;
  if (!leaf) throw new BadChainError('The response contains no certificate.');
  if (leaf.checkHost(hostname, { subject: 'never', wildcards: false }) === undefined) {
    throw new BadChainError(
      `The certificate is for ${leaf.subjectAltName ?? 'no name'}, not for ${hostname}.`,
    );
  }
  if (!leaf.checkPrivateKey(createPrivateKey(key))) {
    throw new BadChainError('The certificate is for another key than the one in the request.');
  }
  certificates.forEach((certificate, at) => {
    const issuer = certificates[at + 1];
    if (!issuer) return;
    if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) {
      throw new BadChainError(`Certificate ${at + 1} of the chain is not signed by the next one.`);
    }
  });
  const [notBefore, notAfter] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()];
  if (notBefore > now + CLOCK_SKEW_MS || notAfter <= now) {
    throw new BadChainError(
      `The certificate is valid from ${leaf.validFromDate.toISOString()} to ${leaf.validToDate.toISOString()}, and now is ${new Date(now).toISOString()}: is this machine's clock right?`,
    );
  }
  return {
    issuer: issuerName(leaf),
    serial: leaf.serialNumber.toLowerCase(),
    notBefore,
    notAfter,
    ariId: ariIdOf(leaf),
  };
}

function readChain(chain: string): X509Certificate[] {
  const pems = chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    return pems.map((pem) => new X509Certificate(pem));
  } catch (error) {
    throw new BadChainError('The certificate cannot be read.', { cause: error });
  }
}

/** The organisation and the common name of the issuer: `Let's Encrypt E7`. */
function issuerName({ issuer }: X509Certificate): string {
  const field = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(issuer)?.[1] ?? '';
  return `${field('O')} ${field('CN')}`.trim() || issuer.replaceAll('\n', ', ');
}

/** RFC 9773, section 4.1. */
export function ariIdOf(leaf: X509Certificate): string | undefined {
  const parsed = new Parsed(leaf.raw);
  const keyId = parsed.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  if (keyId === undefined) return undefined;
  const parts = [Buffer.from(keyId, 'hex'), serialOctets(parsed)];
  return parts.map((octets) => octets.toString('base64url')).join('.');
}
