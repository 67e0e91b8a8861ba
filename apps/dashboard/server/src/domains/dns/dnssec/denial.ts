import { createHash } from 'node:crypto';
import { namesUpFrom } from '../names.ts';
import { labelsOf, type RrSet, TYPE, wireNameOf } from './rrset.ts';

/** What the NSEC and NSEC3 records of a response prove of a name. */
export type Denial =
  /** There is no such record. `isDelegation`: it has name servers of its own, so a zone without DNSSEC begins. */
  { readonly isProven: true; readonly isDelegation: boolean } | { readonly isProven: false };

const UNPROVEN: Denial = { isProven: false };

/**
 * Whether there is proof that a name in a zone has no record of a type (RFC 4035, section 5.4; RFC 5155, section 8).
 * Signatures are verified elsewhere. That no wildcard answers is not asked for: it is not what breaks a chain.
 */
export function readDenial(
  sets: readonly RrSet[],
  { name, type, zone }: { readonly name: string; readonly type: number; readonly zone: string },
): Denial {
  for (const set of sets) {
    const denial = set.type === TYPE.NSEC ? byNsec(set, name, type) : UNPROVEN;
    if (denial.isProven) return denial;
  }
  return byNsec3(
    sets.filter((set) => set.type === TYPE.NSEC3),
    { name, type, zone },
  );
}

function byNsec(set: RrSet, name: string, type: number): Denial {
  const data = set.data[0] ?? Buffer.alloc(1);
  const next = nextName(data);
  if (!next) return UNPROVEN;
  const owner = wireNameOf(name);
  if (set.name === name) return ofBitmap(data.subarray(next.length), type);
  const isAfterOwner = compareNames(set.owner, owner) < 0;
  const isBeforeNext = compareNames(owner, next) < 0;
  // The last record of a zone leads back to its first name.
  const isLast = compareNames(next, set.owner) <= 0;
  const isCovered = isLast ? isAfterOwner || isBeforeNext : isAfterOwner && isBeforeNext;
  return isCovered ? { isProven: true, isDelegation: false } : UNPROVEN;
}

/** The name at the front of NSEC data, in wire form and lower case. */
function nextName(data: Buffer): Buffer | undefined {
  let at = 0;
  while (at < data.length) {
    const size = data.readUInt8(at);
    if (size > 63) return undefined;
    at += 1 + size;
    if (size === 0) return Buffer.from(data.toString('latin1', 0, at).toLowerCase(), 'latin1');
  }
  return undefined;
}

/** RFC 4034, section 6.1: label by label from the right. */
function compareNames(a: Buffer, b: Buffer): number {
  const [left, right] = [labelsOf(a).reverse(), labelsOf(b).reverse()];
  for (const [i, label] of left.entries()) {
    const other = right[i];
    if (!other) return 1;
    const order = Buffer.compare(label, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Hashing more often than this is refused by resolvers, too (RFC 9276, section 3.2). */
const MAX_ITERATIONS = 150;

interface Nsec3 {
  readonly hash: string;
  readonly next: string;
  readonly bitmap: Buffer;
  readonly isOptOut: boolean;
}

function byNsec3(
  sets: readonly RrSet[],
  { name, type, zone }: { name: string; type: number; zone: string },
): Denial {
  const parsed = sets.flatMap((set) => parseNsec3(set) ?? []);
  const [first] = parsed;
  if (!first || first.iterations > MAX_ITERATIONS) return UNPROVEN;
  const hashOf = (at: string) => hashName(at, first);
  const matching = (hash: string) => parsed.find((it) => it.hash === hash);
  const exact = matching(hashOf(name));
  if (exact) return ofBitmap(exact.bitmap, type);
  // The closest encloser exists, and the name below it does not.
  for (const at of namesBelow(zone, name)) {
    const above = at.includes('.') ? at.slice(at.indexOf('.') + 1) : '';
    // Once for all records: each is some hundred hashes, and names and records of others are many.
    const hash = hashOf(at);
    const covering = parsed.find((it) => isBetween(hash, it));
    if (covering && matching(hashOf(above))) {
      return { isProven: true, isDelegation: covering.isOptOut && type === TYPE.DS };
    }
  }
  return UNPROVEN;
}

/** A name and those above it, up to the zone without it. */
function namesBelow(zone: string, name: string): string[] {
  return namesUpFrom(name).filter((at) => (zone === '' || at.endsWith(`.${zone}`)) && at !== zone);
}

function isBetween(hash: string, { hash: from, next }: Nsec3): boolean {
  return from < next ? from < hash && hash < next : from < hash || hash < next;
}

/** RFC 5155, section 3.2. */
function parseNsec3({ name, data: [data] }: RrSet) {
  if (!data || data.length < 6) return undefined;
  const saltEnd = 5 + data.readUInt8(4);
  const nextEnd = saltEnd + 1 + (data[saltEnd] ?? 0);
  if (data[0] !== 1 || nextEnd > data.length) return undefined;
  return {
    hash: name.slice(0, Math.max(0, name.indexOf('.'))),
    next: base32(data.subarray(saltEnd + 1, nextEnd)),
    bitmap: data.subarray(nextEnd),
    isOptOut: (data.readUInt8(1) & 1) === 1,
    iterations: data.readUInt16BE(2),
    salt: data.subarray(5, saltEnd),
  };
}

/** RFC 5155, section 5. */
function hashName(name: string, { salt, iterations }: { salt: Buffer; iterations: number }) {
  let hash = createHash('sha1').update(wireNameOf(name)).update(salt).digest();
  for (let i = 0; i < iterations; i++) hash = createHash('sha1').update(hash).update(salt).digest();
  return base32(hash);
}

const BASE32_HEX = '0123456789abcdefghijklmnopqrstuv';

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => BASE32_HEX[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
}

/** What the list of types at the name itself says. */
function ofBitmap(bitmap: Buffer, type: number): Denial {
  if (hasType(bitmap, type) || hasType(bitmap, TYPE.CNAME)) return UNPROVEN;
  return {
    isProven: true,
    isDelegation: hasType(bitmap, TYPE.NS) && !hasType(bitmap, TYPE.SOA),
  };
}

/** RFC 4034, section 4.1.2: windows of 256 types, each with a bitmap of up to 32 bytes. */
function hasType(bitmap: Buffer, type: number): boolean {
  for (let at = 0; at + 2 <= bitmap.length; ) {
    const length = bitmap.readUInt8(at + 1);
    const byte = (type & 255) >> 3;
    if (bitmap[at] === type >> 8 && byte < length) {
      return ((bitmap[at + 2 + byte] ?? 0) & (0x80 >> (type & 7))) !== 0;
    }
    at += 2 + length;
  }
  return false;
}
