import { descriptions } from '../../src/markdown/descriptions.ts';
import type { CheckedDocument } from '../../src/openapi/openapi-types.ts';
import { listOperations } from '../../src/openapi/operations.ts';
import { plainText } from '../../src/openapi/plain-text.ts';
import { referenceAddresses } from '../../src/reference/addresses.ts';
import type { ReferenceContext } from '../../src/reference/reference-context.ts';

/** What pages of a document (OpenAPI 3.1) are made with, and the warnings that they gave, as `place: message`. */
export function pageContext(document: Record<string, unknown>): {
  context: ReferenceContext;
  warnings: string[];
} {
  const warnings: string[] = [];
  const warn = (message: string, place: string) => void warnings.push(`${place}: ${message}`);
  const operations = listOperations(document, plainText());
  const placeOf = (pointer: string) => ({ file: 'openapi.json', pointer, line: null });
  const checked: CheckedDocument = {
    ...{ syntax: 'JSON', document, upgraded: document, operations },
    placeOf,
  };
  const context: ReferenceContext = {
    checked,
    document,
    addresses: referenceAddresses(checked, '/reference'),
    descriptions: descriptions({ warn }),
    ...{ title: 'API', about: '', share: 1 },
    downloads: { json: '/openapi.json', yaml: '/openapi.yaml' },
    warn,
  };
  return { context, warnings };
}

/** The words of HTML, on one line. */
export function words(html: string): string {
  const text = html.replace(/<[^>]*>/g, (tag) =>
    /^<\/?(?:li|p|div|summary|dt|dd|h\d)\b/.test(tag) ? ' ' : '',
  );
  return text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The ids in HTML, in their order. */
export const idsOf = (html: string): string[] =>
  [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id);
