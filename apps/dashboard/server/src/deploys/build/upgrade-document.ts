import { upgrade } from '@scalar/openapi-upgrader';
import type { OpenApiDocument } from './openapi-types.ts';

/** The document in OpenAPI 3.1, exact as it was. What is given stays as it is. */
export function upgradeDocument(document: OpenApiDocument): OpenApiDocument {
  return upgrade(copy(document) as Record<string, unknown>, '3.1') as unknown as OpenApiDocument;
}

/** A tree of its own, since the upgrade writes into it. It would take `__proto__` for a prototype. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== '__proto__')
      .map(([name, member]) => [name, copy(member)]),
  );
}
