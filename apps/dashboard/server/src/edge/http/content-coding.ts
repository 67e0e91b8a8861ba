import type { Coding } from '../../deploys/artifact.ts';
import { LruCache } from '../sites/lru-cache.ts';

/** Best first: the smallest. */
const CODINGS = ['br', 'gzip', 'identity'] as const;

/** What browsers send is a handful of values. */
const MAX_KNOWN = 1_000;
const MAX_KNOWN_LENGTH = 200;
const known = new LruCache<readonly (Coding | 'identity')[]>(MAX_KNOWN);

/**
 * The codings that an Accept-Encoding allows (RFC 9110, section 12.5.3), the one to prefer first: by
 * its weights, and the smaller one among equals. What is not named is not wanted, besides identity, which
 * comes last then. Where all is refused there is still identity, which section 12.4.1 allows.
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

/** 1 where there is no weight; 0, so as to leave it be, where it is not one (RFC 9110, section 12.4.2). */
function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  if (given === undefined) return 1;
  return /^q=(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(given) ? Number(given.slice(2)) : 0;
}
