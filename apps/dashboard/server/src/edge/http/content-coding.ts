import { LRUCache } from 'lru-cache';
import type { Coding } from '../../deploys/artifact.ts';

/** Best first: the smallest. */
const CODINGS = ['br', 'gzip', 'identity'] as const;

/** Browsers send a handful of different values. */
const MAX_KNOWN = 1_000;
const MAX_KNOWN_LENGTH = 200;
const known = new LRUCache<string, readonly (Coding | 'identity')[]>({ max: MAX_KNOWN });

/**
 * The codings that an Accept-Encoding allows (RFC 9110, section 12.5.3), best first: by
 * weight, then by size. Codings that it does not name are left out, except for identity, which comes last. Where it
 * refuses all of them, identity remains, which section 12.4.1 allows.
 */
export function acceptedCodings(acceptEncoding: string): readonly (Coding | 'identity')[] {
  const remembered = known.get(acceptEncoding);
  if (remembered) return remembered;
  const accepted = parse(acceptEncoding);
  if (acceptEncoding.length <= MAX_KNOWN_LENGTH) known.set(acceptEncoding, accepted);
  return accepted;
}

function parse(acceptEncoding: string): readonly (Coding | 'identity')[] {
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters));
  }
  const weight = (coding: string) =>
    weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? Number.MIN_VALUE : 0);
  const accepted = CODINGS.filter((coding) => weight(coding) > 0);
  // The sort is stable.
  accepted.sort((a, b) => weight(b) - weight(a));
  return accepted.length > 0 ? accepted : ['identity'];
}

/** The weight of an item: 1 without a q parameter, 0 where that is not a valid qvalue (RFC 9110, section 12.4.2). */
export function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  if (given === undefined) return 1;
  return /^q=(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(given) ? Number(given.slice(2)) : 0;
}
