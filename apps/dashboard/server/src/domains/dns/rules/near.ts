import { distance } from '../../../nearest.ts';
import type { Expectation } from '../check-dns.ts';

/** Slips of the finger that are taken for such: letters more, fewer, or other ones. */
const MAX_SLIPS = 2;
/** What is longer than a name is no slip. */
const MAX_LENGTH = 255;

export type NearTarget = 'zone_appended' | 'bare_platform_host' | 'target_typo' | 'other_claim';

/** How a CNAME's target comes near the claim's host; undefined: it means something else. */
export function nearTarget(value: string, { target }: Expectation): NearTarget | undefined {
  const platformHost = target.slice(target.indexOf('.') + 1);
  if (value.startsWith(`${target}.`)) return 'zone_appended';
  if (value === platformHost) return 'bare_platform_host';
  if (isSlip(value, target)) return 'target_typo';
  return value.endsWith(`.${platformHost}`) ? 'other_claim' : undefined;
}

export type NearProof = 'proof_quoted' | 'proof_typo';

/** How a text comes near the proof. */
export function nearProof(text: string, proof: string): NearProof | undefined {
  if (text === proof || text.length > MAX_LENGTH) return undefined;
  const plain = unquoted(text);
  if (plain === proof) return 'proof_quoted';
  return isSlip(plain, proof) ? 'proof_typo' : undefined;
}

/** Without quotes and spaces around it, which panels take for a part of the value. */
export function unquoted(text: string): string {
  return text.replace(/^[\s"'“”„\\]+|[\s"'“”„\\]+$/g, '');
}

function isSlip(text: string, wanted: string): boolean {
  if (text === wanted || text.length > MAX_LENGTH) return false;
  if (text.includes(wanted)) return true;
  return Math.abs(text.length - wanted.length) <= MAX_SLIPS && distance(text, wanted) <= MAX_SLIPS;
}
