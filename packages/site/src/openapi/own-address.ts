import { type Location, valueAt } from '../syntax/source.ts';
import { forEachKeyword } from './keywords.ts';
import { isObject, type OpenApiDocument, textOf } from './openapi-types.ts';

/** Stands for where the document is, which nobody knows: `$self` may be relative to it. */
const UNKNOWN = 'https://document.invalid/';

/**
 * The document with the references that name it by its own address (`$self` of OpenAPI 3.2) as references within it, and
 * with the addresses of licences and other documentation in full. The given one stays as it is.
 */
export function withOwnAddress(document: OpenApiDocument): OpenApiDocument {
  const self = textOf(document.$self);
  const base = self === '' ? undefined : resolved(self, UNKNOWN);
  if (base === undefined) return document;
  const changes: [Location, string][] = [];
  forEachKeyword(document, (name, member, location) => {
    if (typeof member !== 'string') return;
    const url = resolved(member, base);
    if (name === '$ref' && !member.startsWith('#') && url && isSame(url, base)) {
      changes.push([location, `#${member.replace(/^[^#]*#?/s, '')}`]);
    }
    const isDocumentation = name === 'url' && HOLDERS.has(location.at(-2));
    if (isDocumentation && url && !url.startsWith(UNKNOWN)) changes.push([location, url]);
  });
  if (changes.length === 0) return document;
  const copy = structuredClone(document);
  for (const [location, value] of changes) {
    const holder = valueAt(copy, location.slice(0, -1));
    if (isObject(holder)) holder[String(location.at(-1))] = value;
  }
  return copy;
}

/** Their `url` is relative to the document, that of a server is not. */
const HOLDERS: ReadonlySet<unknown> = new Set(['externalDocs', 'license', 'contact']);

const resolved = (address: string, base: string): string | undefined =>
  URL.canParse(address, base) ? new URL(address, base).href : undefined;

const isSame = (one: string, other: string) =>
  one.replace(/#.*$/s, '') === other.replace(/#.*$/s, '');
