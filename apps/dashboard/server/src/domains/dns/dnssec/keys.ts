import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { RrSet } from './rrset.ts';

/** A DNSKEY record (RFC 4034, section 2.1). */
export interface DnsKey {
  readonly tag: number;
  readonly algorithm: number;
  /** The zone's signatures may be made with it: it is a zone key, and not revoked (RFC 5011). */
  readonly isUsable: boolean;
  readonly bytes: Buffer;
  /** The record's data. */
  readonly data: Buffer;
}

/** A DS record (RFC 4034, section 5.1): the digest of a key, in the zone above. */
export interface Ds {
  readonly keyTag: number;
  readonly algorithm: number;
  readonly digestType: number;
  readonly digest: Buffer;
}

/** IANA's numbers of the algorithms that can be verified here, with their names. */
const ALGORITHMS: Readonly<Record<number, string>> = {
  8: 'RSASHA256',
  10: 'RSASHA512',
  13: 'ECDSAP256SHA256',
  14: 'ECDSAP384SHA384',
  15: 'ED25519',
};

export function isSupported(algorithm: number): boolean {
  return algorithm in ALGORITHMS;
}

const DIGESTS: Readonly<Record<number, string>> = { 1: 'sha1', 2: 'sha256', 4: 'sha384' };

/** More keys or DS records than any zone has are not looked at: each costs time (CVE-2023-50387). */
const MAX_RECORDS = 20;

const ZONE_KEY = 0x0100;
const REVOKED = 0x0080;

export function keysIn({ data }: RrSet): DnsKey[] {
  return data.slice(0, MAX_RECORDS).flatMap((record) => {
    if (record.length < 5 || record[2] !== 3) return [];
    const flags = record.readUInt16BE(0);
    return {
      tag: keyTag(record),
      algorithm: record.readUInt8(3),
      isUsable: (flags & (ZONE_KEY | REVOKED)) === ZONE_KEY,
      bytes: record.subarray(4),
      data: record,
    };
  });
}

export function dsIn({ data }: RrSet): Ds[] {
  return data.slice(0, MAX_RECORDS).flatMap((record) =>
    record.length < 5
      ? []
      : {
          keyTag: record.readUInt16BE(0),
          algorithm: record.readUInt8(2),
          digestType: record.readUInt8(3),
          digest: record.subarray(4),
        },
  );
}

/** Whether a DS record can be compared with keys, and signatures by its key be verified. */
export function isUnderstood({ algorithm, digestType }: Ds): boolean {
  return isSupported(algorithm) && digestType in DIGESTS;
}

/** Whether a DS record is that of a key of the zone whose name is `owner` in wire form. */
export function isDsOf(ds: Ds, key: DnsKey, owner: Buffer): boolean {
  if (ds.keyTag !== key.tag || ds.algorithm !== key.algorithm) return false;
  return digestOf(ds.digestType, key, owner)?.equals(ds.digest) ?? false;
}

/** The DS record of a key as zone files and registrars have it, with a SHA-256 digest. */
export function dsOf(key: DnsKey, owner: Buffer): string {
  const digest = digestOf(2, key, owner)?.toString('hex').toUpperCase();
  return `${key.tag} ${key.algorithm} 2 ${digest}`;
}

function digestOf(type: number, { data }: DnsKey, owner: Buffer): Buffer | undefined {
  const name = DIGESTS[type];
  return name === undefined ? undefined : createHash(name).update(owner).update(data).digest();
}

/** RFC 4034, appendix B. */
function keyTag(data: Buffer): number {
  let sum = 0;
  for (const [i, byte] of data.entries()) sum += i % 2 === 0 ? byte << 8 : byte;
  return (sum + (sum >>> 16)) & 0xffff;
}

/** The key for node:crypto; undefined where it cannot be one. */
export function publicKeyOf({ algorithm, bytes }: DnsKey): KeyObject | undefined {
  try {
    return createPublicKey({ format: 'jwk', key: jwkOf(algorithm, bytes) });
  } catch {
    return undefined;
  }
}

function jwkOf(algorithm: number, bytes: Buffer) {
  const text = (part: Buffer) => part.toString('base64url');
  // RFC 6605, section 4, and RFC 8080, section 3.
  if (algorithm === 13 || algorithm === 14) {
    const half = bytes.length / 2;
    const crv = algorithm === 13 ? 'P-256' : 'P-384';
    return { kty: 'EC', crv, x: text(bytes.subarray(0, half)), y: text(bytes.subarray(half)) };
  }
  if (algorithm === 15) return { kty: 'OKP', crv: 'Ed25519', x: text(bytes) };
  // RFC 3110, section 2: the exponent's length in one byte, or in two after a zero.
  const [at, length] = bytes[0] === 0 ? [3, bytes.readUInt16BE(1)] : [1, bytes.readUInt8(0)];
  const [e, n] = [bytes.subarray(at, at + length), bytes.subarray(at + length)];
  return { kty: 'RSA', e: text(e), n: text(n) };
}
