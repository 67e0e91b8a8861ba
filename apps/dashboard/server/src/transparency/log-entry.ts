import { leafHash } from './merkle.ts';

/** An entry of a log. */
export interface LogEntry {
  readonly index: number;
  /** Its hash in the log's tree. */
  readonly hash: Buffer;
  /** What its names are read from: a certificate, or the TBSCertificate that a precertificate is for. */
  readonly kind: 'certificate' | 'tbs';
  readonly der: Buffer;
}

/** What a log sent is not an entry. */
export class BadEntryError extends Error {
  override name = 'BadEntryError';
}

/** The version and the type of a MerkleTreeLeaf, in front of its TimestampedEntry (RFC 6962, section 3.4). */
const LEAF_HEAD = Buffer.from([0, 0]);

/** Reads the `leaf_input` of RFC 6962, section 4.6. Throws BadEntryError. */
export function readMerkleTreeLeaf(bytes: Buffer, index: number): LogEntry {
  if (bytes.length < 2 || !bytes.subarray(0, 2).equals(LEAF_HEAD))
    throw new BadEntryError(`entry ${index} is of a version or a type that is not known`);
  const reader = new Reader(bytes, 2, index);
  const entry = readTimestampedEntry(reader);
  if (reader.at !== bytes.length) throw new BadEntryError(`entry ${index} has more at its end`);
  return { index, hash: leafHash(bytes), kind: entry.kind, der: entry.der };
}

/** Reads the entries of a data tile (c2sp.org/static-ct-api), the first of which has that index. Throws BadEntryError. */
export function readDataTile(bytes: Buffer, firstIndex: number): LogEntry[] {
  const entries: LogEntry[] = [];
  let at = 0;
  while (at < bytes.length) {
    const index = firstIndex + entries.length;
    const reader = new Reader(bytes, at, index);
    const { kind, der } = readTimestampedEntry(reader);
    const timestamped = bytes.subarray(at, reader.at);
    if (kind === 'tbs') reader.vector(3); // the precertificate itself
    reader.vector(2); // the fingerprints of the issuers
    entries.push({ index, hash: leafHash(LEAF_HEAD, timestamped), kind, der });
    at = reader.at;
  }
  return entries;
}

function readTimestampedEntry(reader: Reader): Pick<LogEntry, 'kind' | 'der'> {
  reader.take(8); // the timestamp
  const type = reader.integer(2);
  if (type > 1)
    throw new BadEntryError(`entry ${reader.index} is of type ${type}, which is not known`);
  if (type === 1) reader.take(32); // the hash of the issuer's key
  const der = reader.vector(3);
  reader.vector(2); // extensions
  return { kind: type === 1 ? 'tbs' : 'certificate', der };
}

/** Reads the structures of TLS (RFC 8446, section 3). */
class Reader {
  readonly #bytes: Buffer;
  readonly index: number;
  at: number;

  constructor(bytes: Buffer, at: number, index: number) {
    this.#bytes = bytes;
    this.at = at;
    this.index = index;
  }

  take(length: number): Buffer {
    const end = this.at + length;
    if (end > this.#bytes.length) throw new BadEntryError(`entry ${this.index} is cut off`);
    const taken = this.#bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  integer(length: number): number {
    return this.take(length).readUIntBE(0, length);
  }

  /** A vector whose length is in so many bytes in front of it. */
  vector(lengthBytes: number): Buffer {
    return this.take(this.integer(lengthBytes));
  }
}
