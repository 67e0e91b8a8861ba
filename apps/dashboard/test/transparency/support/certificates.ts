import { randomBytes } from 'node:crypto';
import {
  type Extension,
  Extension as OtherExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '../../../server/src/certificates/x509.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 3_600_000;

/** What a log has of a certificate. */
export type Logged =
  | { readonly kind: 'x509'; readonly der: Buffer }
  | { readonly kind: 'precert'; readonly der: Buffer; readonly tbs: Buffer };

export interface Foreign {
  readonly serial: string;
  readonly certificate: Logged;
  readonly precertificate: Logged;
}

/** A certificate of an authority that nobody here asked, and its precertificate. */
export async function foreignCertificate(
  names: readonly string[],
  {
    issuer = 'O=Honest Authority, CN=H1',
    notBefore = Date.now() - DAY_MS,
    days = 90,
  }: { issuer?: string; notBefore?: number; days?: number } = {},
): Promise<Foreign> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  // With the highest bit, so that DER has a zero in front.
  const serial = `9f${randomBytes(15).toString('hex')}`;
  const make = async (more: Extension[]) => {
    const certificate = await X509CertificateGenerator.create({
      ...{ serialNumber: serial, subject: '', issuer },
      notBefore: new Date(notBefore),
      notAfter: new Date(notBefore + days * DAY_MS),
      publicKey: keys.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new SubjectAlternativeNameExtension(
          names.map((value) => ({ type: 'dns', value }) as const),
          true,
        ),
        ...more,
      ],
    });
    return Buffer.from(certificate.rawData);
  };
  // RFC 6962, sections 3.1 and 3.3: the poison, and the list of timestamps.
  const poison = new OtherExtension('1.3.6.1.4.1.11129.2.4.3', true, Buffer.of(5, 0));
  const timestamps = new OtherExtension('1.3.6.1.4.1.11129.2.4.2', false, Buffer.of(4, 2, 0, 0));
  return {
    serial,
    certificate: { kind: 'x509', der: await make([timestamps]) },
    precertificate: { kind: 'precert', der: await make([poison]), tbs: tbsOf(await make([])) },
  };
}

/** The TBSCertificate of a certificate: the first value in it. */
export function tbsOf(certificate: Buffer): Buffer {
  const begin = headOf(certificate, 0).begin;
  return certificate.subarray(begin, headOf(certificate, begin).end);
}

function headOf(der: Buffer, at: number): { begin: number; end: number } {
  const first = der[at + 1] ?? 0;
  if (first < 0x80) return { begin: at + 2, end: at + 2 + first };
  const begin = at + 2 + (first - 0x80);
  return { begin, end: begin + der.readUIntBE(at + 2, first - 0x80) };
}
