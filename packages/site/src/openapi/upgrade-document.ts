import { upgrade } from '@scalar/openapi-upgrader';
import type { OpenApiDocument } from './openapi-types.ts';
import { keepProducedTypes } from './produced-types.ts';

/** The upgrade would take a member of this name for a prototype: it gets another one meanwhile, which no author writes. */
const PROTO = '__proto__';
const STAND_IN = `${PROTO}\ud800`;

/** The document in OpenAPI 3.1, with every digit. The given document stays as it is. */
export function upgradeDocument(document: OpenApiDocument): OpenApiDocument {
  let isRenamed = false;
  const input = copy(document, (name) => {
    if (name !== PROTO) return name;
    isRenamed = true;
    return STAND_IN;
  });
  const upgraded = upgrade(input as Record<string, unknown>, '3.1');
  const named = isRenamed ? copy(upgraded, (name) => (name === STAND_IN ? PROTO : name)) : upgraded;
  keepProducedTypes(document, named as OpenApiDocument);
  return named as OpenApiDocument;
}

/** A copy, since the upgrade changes it, with the members' names that `rename` gives. */
function copy(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => copy(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  // Not by assignment, which would set a prototype.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [rename(name), copy(member, rename)]),
  );
}
