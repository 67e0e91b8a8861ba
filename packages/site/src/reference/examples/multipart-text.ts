import { isObject } from '../../openapi/openapi-types.ts';
import { isJson } from '../../request/media-types.ts';
import { toJson } from '../../syntax/exact-text.ts';

/** How deep bodies of parts lie in each other: the specification asks for one (OpenAPI 3.2.0, “Nested Encoding”). */
const MAX_NESTED = 3;

/** Stands where a part has bytes. */
const BYTES = '(binary data)';

/**
 * A `multipart` body whose parts have no names, as it is sent but for the ends of its lines. `holder`: the Media Type
 * Object, or the Encoding Object of a part that has parts itself; it says the media types by position (OpenAPI 3.2.0,
 * “Encoding By Position”).
 */
export function partsInOrder(
  items: readonly unknown[],
  holder: Record<string, unknown>,
  depth = 1,
): string {
  const boundary = depth === 1 ? 'boundary' : `boundary-${depth}`;
  const parts = items.map((item, at) => {
    const encoding = encodingAt(holder, at);
    const type = typeOf(item, encoding);
    const isNested = /^multipart\//i.test(type) && Array.isArray(item) && depth < MAX_NESTED;
    const named = isNested ? `${type}; boundary="boundary-${depth + 1}"` : type;
    // A media type with a wildcard is none that can be sent.
    const head = type.includes('*') ? '' : `Content-Type: ${named}\n`;
    const content = isNested ? partsInOrder(item, encoding, depth + 1) : contentOf(item, type);
    return `--${boundary}\n${head}\n${content}\n`;
  });
  return `${parts.join('')}--${boundary}--\n`;
}

function encodingAt(
  { prefixEncoding, itemEncoding }: Record<string, unknown>,
  at: number,
): Record<string, unknown> {
  const listed = Array.isArray(prefixEncoding) ? prefixEncoding[at] : undefined;
  const found = listed ?? itemEncoding;
  return isObject(found) ? found : {};
}

/** The first of the media types that an encoding allows, otherwise the default of the value's type. */
function typeOf(item: unknown, { contentType }: Record<string, unknown>): string {
  const [first = ''] = typeof contentType === 'string' ? contentType.split(',') : [];
  if (first.trim() !== '') return first.trim();
  if (item === null || item === undefined) return 'application/octet-stream';
  return typeof item === 'object' ? 'application/json' : 'text/plain';
}

function contentOf(item: unknown, type: string): string {
  if (item === null || item === undefined) return BYTES;
  return typeof item === 'string' && !isJson(type) ? item : toJson(item).trimEnd();
}
