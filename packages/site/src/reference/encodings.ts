import { isObject } from '../openapi/openapi-types.ts';

/** An Encoding Object of parts that have no names. */
export interface PositionalEncoding {
  /** Which parts: `Part 1`, `Other parts`, `Each part`. */
  readonly name: string;
  readonly encoding: Record<string, unknown>;
}

/** More parts than anyone tells apart by their place. */
const MAX_PARTS = 50;

/** How the parts of a Media Type Object, or of an Encoding Object, are sent by their position; empty for none. */
export function positionalEncodings({
  prefixEncoding,
  itemEncoding,
}: Record<string, unknown>): PositionalEncoding[] {
  const listed = (Array.isArray(prefixEncoding) ? prefixEncoding : []).slice(0, MAX_PARTS);
  const rest = listed.length > 0 ? 'Other parts' : 'Each part';
  return [
    ...listed.map((encoding, at) => ({
      name: `Part ${at + 1}`,
      encoding: isObject(encoding) ? encoding : {},
    })),
    ...(isObject(itemEncoding) ? [{ name: rest, encoding: itemEncoding }] : []),
  ];
}
