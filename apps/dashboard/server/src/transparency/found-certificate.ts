import { createHash } from 'node:crypto';
import { BadCertificateError, namesOf, readTbs } from './certificate-names.ts';
import type { LogEntry } from './log-entry.ts';

/** A certificate of a log, read in full because it concerns someone here. */
export interface FoundCertificate {
  /** The same for a precertificate and its certificate, in any log. */
  readonly fingerprint: string;
  /** The issuer's organisation and common name. */
  readonly issuer: string;
  /** Hexadecimal. */
  readonly serial: string;
  /** The SHA-256 of its SubjectPublicKeyInfo, in hexadecimal. */
  readonly keyHash: string;
  readonly names: readonly string[];
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Reads what people are told of a certificate. Rejects with BadCertificateError. */
export async function readFound(entry: Pick<LogEntry, 'kind' | 'der'>): Promise<FoundCertificate> {
  const { serial, issuer, validity, publicKey } = readTbs(entry);
  const [notBefore, notAfter] = timesIn(validity);
  const sha256 = (...parts: Buffer[]) =>
    createHash('sha256').update(Buffer.concat(parts)).digest('hex');
  return {
    fingerprint: sha256(issuer, serial),
    issuer: await issuerName(issuer),
    serial: serial.toString('hex'),
    keyHash: sha256(publicKey),
    names: namesOf(entry),
    notBefore,
    notAfter,
  };
}

/** The organisation and the common name of the issuer: `Let's Encrypt E7`. */
async function issuerName(der: Buffer): Promise<string> {
  // Loaded when it is needed, as the ACME client is.
  const { Name } = await import('../certificates/x509.ts');
  try {
    const name = new Name(new Uint8Array(der));
    const field = (key: string) => name.getField(key)[0] ?? '';
    return `${field('O')} ${field('CN')}`.trim() || name.toString();
  } catch (error) {
    throw new BadCertificateError('the name of an issuer cannot be read', { cause: error });
  }
}

/** The two times of a Validity: UTCTime or GeneralizedTime (RFC 5280, section 4.1.2.5). */
function timesIn(validity: Buffer): [number, number] {
  const text = validity.toString('latin1');
  const [first, second] = [...text.matchAll(/(?:\x17\x0d(\d{2})|\x18\x0f(\d{4}))(\d{10})Z/g)].map(
    ([, short, long, rest = '']) => {
      // RFC 5280: two digits from 50 on are of the last century.
      const year = long ?? (Number(short) >= 50 ? `19${short}` : `20${short}`);
      const [month, day, hour, minute, second] = rest.match(/../g) ?? [];
      return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    },
  );
  if (!(Number.isFinite(first) && Number.isFinite(second)))
    throw new BadCertificateError('the times of a certificate cannot be read');
  return [first as number, second as number];
}
