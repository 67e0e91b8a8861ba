import type { LogEntry } from './log-entry.ts';

// What is read of each entry of a log is as little as it takes to know whom it concerns. A general reader of ASN.1 makes
// an object of each of a certificate's hundred parts; see docs/decisions/certificates.md for what that costs.

/** What is not DER, or no certificate. */
export class BadCertificateError extends Error {
  override name = 'BadCertificateError';
}

/** The parts of a TBSCertificate (RFC 5280, section 4.1) that matter here. */
export interface TbsParts {
  /** The bytes of the number, without zeros in front. */
  readonly serial: Buffer;
  /** DER, with its head; so are the two below. */
  readonly issuer: Buffer;
  readonly validity: Buffer;
  readonly publicKey: Buffer;
  /** The SEQUENCE of extensions, without its head; undefined: none. */
  readonly extensions: Buffer | undefined;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const OBJECT_IDENTIFIER = 0x06;
const BOOLEAN = 0x01;
const OCTET_STRING = 0x04;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
/** GeneralName's dNSName. */
const DNS_NAME = 0x82;

/** 2.5.29.17, subjectAltName. */
const SUBJECT_ALT_NAME = Buffer.from([0x55, 0x1d, 0x11]);

/** The DNS names of an entry, as they are written there. Throws BadCertificateError. */
export function namesOf(entry: Pick<LogEntry, 'kind' | 'der'>): string[] {
  const { extensions } = readTbs(entry);
  if (!extensions) return [];
  let reader = new DerReader(extensions);
  while (!reader.isAtEnd) {
    const extension = new DerReader(reader.read(SEQUENCE));
    if (!extension.read(OBJECT_IDENTIFIER).equals(SUBJECT_ALT_NAME)) continue;
    if (extension.tag === BOOLEAN) extension.read(BOOLEAN);
    reader = new DerReader(new DerReader(extension.read(OCTET_STRING)).read(SEQUENCE));
    const names: string[] = [];
    while (!reader.isAtEnd) {
      const { tag } = reader;
      const value = reader.read();
      if (tag === DNS_NAME) names.push(value.toString('latin1'));
    }
    return names;
  }
  return [];
}

/** Reads what an entry is for. Throws BadCertificateError. */
export function readTbs({ kind, der }: Pick<LogEntry, 'kind' | 'der'>): TbsParts {
  const outer = new DerReader(der).read(SEQUENCE);
  const tbs = new DerReader(kind === 'tbs' ? outer : new DerReader(outer).read(SEQUENCE));
  if (tbs.tag === VERSION) tbs.read();
  const serial = tbs.read(INTEGER);
  tbs.read(SEQUENCE); // the algorithm of the signature
  const issuer = tbs.readWhole(SEQUENCE);
  const validity = tbs.readWhole(SEQUENCE);
  tbs.read(SEQUENCE); // the subject
  const publicKey = tbs.readWhole(SEQUENCE);
  while (!tbs.isAtEnd && tbs.tag !== EXTENSIONS) tbs.read();
  const extensions = tbs.isAtEnd ? undefined : new DerReader(tbs.read()).read(SEQUENCE);
  return { serial: withoutZeros(serial), issuer, validity, publicKey, extensions };
}

function withoutZeros(bytes: Buffer): Buffer {
  let at = 0;
  while (at < bytes.length - 1 && bytes[at] === 0) at += 1;
  return bytes.subarray(at);
}

/** Reads values of DER one after another. */
class DerReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** The tag of the next value. */
  get tag(): number | undefined {
    return this.#bytes[this.#at];
  }

  /** The content of the next value, which has that tag. */
  read(tag?: number): Buffer {
    const { begin, end } = this.#next(tag);
    return this.#bytes.subarray(begin, end);
  }

  /** The next value with its tag and length. */
  readWhole(tag: number): Buffer {
    const from = this.#at;
    return this.#bytes.subarray(from, this.#next(tag).end);
  }

  #next(tag: number | undefined): { begin: number; end: number } {
    const found = this.#bytes[this.#at];
    // Tags of several bytes (31) are in no certificate.
    if (found === undefined || (found & 0x1f) === 0x1f || (tag !== undefined && found !== tag))
      throw new BadCertificateError(`a value with tag ${found} where ${tag ?? 'one'} has to be`);
    let length = this.#bytes[this.#at + 1] ?? Number.NaN;
    let begin = this.#at + 2;
    if (length >= 0x80) {
      const bytes = length - 0x80;
      if (bytes === 0 || bytes > 4 || begin + bytes > this.#bytes.length)
        throw new BadCertificateError('a length that DER does not have');
      length = this.#bytes.readUIntBE(begin, bytes);
      begin += bytes;
    }
    const end = begin + length;
    if (!(end <= this.#bytes.length)) throw new BadCertificateError('a value that is cut off');
    this.#at = end;
    return { begin, end };
  }
}
