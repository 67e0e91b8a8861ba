import { verify } from 'node:crypto';
import { type DnsKey, isSupported, publicKeyOf } from './keys.ts';
import { labelsOf, type RrSet, type Signature } from './rrset.ts';

/** Why no signature over a set of records is valid. */
export type SignatureProblem =
  | { readonly kind: 'expired' | 'not_yet_valid'; readonly at: number }
  | { readonly kind: 'wrong' | 'unsigned' | 'no_key' }
  | { readonly kind: 'algorithm'; readonly algorithm: number };

/** How many signatures are verified for one diagnosis: keys and signatures of others decide (CVE-2023-50387). */
const MAX_VERIFICATIONS = 40;

export interface Verifier {
  /** Why none of a set's signatures by a zone's keys is valid; undefined: one is. */
  problemOf(set: RrSet, zone: string, keys: readonly DnsKey[]): SignatureProblem | undefined;
}

/** `now`: seconds since 1970. */
export function createVerifier(now: number): Verifier {
  let left = MAX_VERIFICATIONS;

  function problemOf(set: RrSet, signature: Signature, keys: readonly DnsKey[]) {
    // RFC 4034, section 3.1.5: serial number arithmetic.
    const untilEnd = (signature.expiration - now) | 0;
    const sinceBegin = (now - signature.inception) | 0;
    if (untilEnd < 0) return { kind: 'expired', at: now + untilEnd } as const;
    if (sinceBegin < 0) return { kind: 'not_yet_valid', at: now - sinceBegin } as const;
    const { algorithm, keyTag } = signature;
    if (!isSupported(algorithm)) return { kind: 'algorithm', algorithm } as const;
    const fitting = keys.filter(
      (key) => key.isUsable && key.tag === keyTag && key.algorithm === algorithm,
    );
    if (fitting.length === 0) return { kind: 'no_key' } as const;
    const isValid = fitting.some((key) => {
      left -= 1;
      return left >= 0 && isSignedBy(set, signature, key);
    });
    return isValid ? undefined : ({ kind: 'wrong' } as const);
  }

  return {
    problemOf(set, zone, keys) {
      const own = set.signatures.filter(({ signer }) => signer === zone);
      let first: SignatureProblem | undefined;
      for (const signature of own) {
        const problem = problemOf(set, signature, keys);
        if (!problem) return undefined;
        first ??= problem;
      }
      return first ?? { kind: 'unsigned' };
    },
  };
}

const HASHES: Readonly<Record<number, string | null>> = {
  8: 'sha256',
  10: 'sha512',
  13: 'sha256',
  14: 'sha384',
  15: null,
};

/** Whether a key made the signature (RFC 4034, section 3.1.8.1). */
function isSignedBy(set: RrSet, signature: Signature, key: DnsKey): boolean {
  const publicKey = publicKeyOf(key);
  const data = signedData(set, signature);
  const hash = HASHES[signature.algorithm];
  if (!publicKey || !data || hash === undefined) return false;
  try {
    return verify(hash, data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature.bytes);
  } catch {
    return false;
  }
}

const INTERNET = 1;

function signedData(set: RrSet, { fields, labels, originalTtl }: Signature): Buffer | undefined {
  const owner = signedOwner(set.owner, labels);
  if (!owner) return undefined;
  const head = Buffer.alloc(8);
  head.writeUInt16BE(set.type, 0);
  head.writeUInt16BE(INTERNET, 2);
  head.writeUInt32BE(originalTtl, 4);
  // RFC 4034, section 6.3: in the order of the data, each record once.
  const sorted = set.data
    .toSorted(Buffer.compare)
    .filter((data, i, all) => i === 0 || !all[i - 1]?.equals(data));
  const records = sorted.flatMap((data) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(data.length);
    return [owner, head, length, data];
  });
  return Buffer.concat([fields, ...records]);
}

/** The records of a wildcard are signed under its name, which has fewer labels. */
function signedOwner(owner: Buffer, labels: number): Buffer | undefined {
  const all = labelsOf(owner);
  const count = all[0]?.toString() === '*' ? all.length - 1 : all.length;
  if (labels > count) return undefined;
  if (labels === count) return owner;
  const kept = all.slice(all.length - labels);
  const parts = kept.flatMap((label) => [Buffer.of(label.length), label]);
  return Buffer.concat([Buffer.from([1, 0x2a]), ...parts, Buffer.alloc(1)]);
}
