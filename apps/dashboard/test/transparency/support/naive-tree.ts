import { createHash } from 'node:crypto';

// RFC 6962, section 2.1, word by word and without any speed: what the product's own tree is compared with.

const sha256 = (...parts: Uint8Array[]) =>
  createHash('sha256').update(Buffer.concat(parts)).digest();

/** MTH(D[n]). */
export function treeHash(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return sha256(Buffer.of(0), leaves[0] as Buffer);
  const k = split(leaves.length);
  return sha256(Buffer.of(1), treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)));
}

/** PATH(m, D[n]). */
export function auditPath(m: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length <= 1) return [];
  const k = split(leaves.length);
  if (m < k) return [...auditPath(m, leaves.slice(0, k)), treeHash(leaves.slice(k))];
  return [...auditPath(m - k, leaves.slice(k)), treeHash(leaves.slice(0, k))];
}

/** PROOF(m, D[n]). */
export function consistencyProof(m: number, leaves: readonly Buffer[], isWhole = true): Buffer[] {
  if (m === leaves.length) return isWhole ? [] : [treeHash(leaves)];
  const k = split(leaves.length);
  if (m <= k)
    return [...consistencyProof(m, leaves.slice(0, k), isWhole), treeHash(leaves.slice(k))];
  return [...consistencyProof(m - k, leaves.slice(k), false), treeHash(leaves.slice(0, k))];
}

/** The largest power of two smaller than n. */
function split(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}
