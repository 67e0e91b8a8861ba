import { distance } from '@petstore/service/nearest.ts';
import type { Expectation } from '../expectation.ts';

/** How many characters a typing error adds, omits or changes, at most. */
const MAX_TYPOS = 2;
/** The longest text that is compared: a name cannot be longer. */
const MAX_LENGTH = 255;

export type TargetNearMiss = 'zone_appended' | 'bare_platform_host' | 'target_typo' | 'other_claim';

/** How a CNAME's value almost matches the claim's target; undefined: it does not. */
export function targetNearMiss(
  value: string,
  { target }: Readonly<Record<keyof Pick<Expectation, 'target'>, string>>,
): TargetNearMiss | undefined {
  const platformHost = target.slice(target.indexOf('.') + 1);
  if (value.startsWith(`${target}.`)) return 'zone_appended';
  if (value === platformHost) return 'bare_platform_host';
  if (isTypo(value, target)) return 'target_typo';
  return value.endsWith(`.${platformHost}`) ? 'other_claim' : undefined;
}

export type ProofNearMiss = 'proof_quoted' | 'proof_typo';

/** How a TXT record's text almost matches the proof; undefined: it does not. */
export function proofNearMiss(text: string, proof: string): ProofNearMiss | undefined {
  if (text === proof || text.length > MAX_LENGTH) return undefined;
  const plain = unquoted(text);
  if (plain === proof) return 'proof_quoted';
  return isTypo(plain, proof) ? 'proof_typo' : undefined;
}

/** A text without the quotes and spaces around it, which some DNS panels keep as a part of the value. */
export function unquoted(text: string): string {
  return text.replace(/^[\s"'“”„\\]+|[\s"'“”„\\]+$/g, '');
}

function isTypo(text: string, wanted: string): boolean {
  if (text === wanted || text.length > MAX_LENGTH) return false;
  if (text.includes(wanted)) return true;
  return distance(text, wanted, MAX_TYPOS) <= MAX_TYPOS;
}
