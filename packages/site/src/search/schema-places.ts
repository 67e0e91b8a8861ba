import { isObject, type OpenApiDocument, textOf } from '../openapi/openapi-types.ts';
import { resolveReference } from '../openapi/references.ts';
import { MAX_PLACES } from './format.ts';
import type { Place } from './search-document.ts';

/** How many schemas of one body are looked at. */
const MAX_SCHEMAS = 2_000;

/** How many allowed values of a name are found, and how long each may be. */
const MAX_VALUES = 200;
const MAX_VALUE = 60;

/** A place with the text that describes it. */
export interface DescribedPlace extends Place {
  readonly description: string;
}

export interface SchemaPlacesOptions {
  readonly group: string;
  /** How deep properties in properties are found: 1 for those of the schema itself. */
  readonly depth: number;
  /** Whether a schema has a page of its own, where its properties are found. */
  readonly hasPage: (schema: Record<string, unknown>) => boolean;
}

/**
 * The properties of a schema, and of the schemas in it that have no page of their own. The schema itself may have one.
 */
export function schemaPlaces(
  document: OpenApiDocument,
  schema: unknown,
  { group, depth, hasPage }: SchemaPlacesOptions,
): DescribedPlace[] {
  const places = new Map<string, DescribedPlace>();
  const seen = new Set<unknown>();
  /** `names`: of the properties around the schema. */
  const visit = (value: unknown, names: readonly string[]): void => {
    const found = resolveReference(document, value);
    if (!isObject(found) || seen.has(found) || seen.size >= MAX_SCHEMAS) return;
    seen.add(found);
    for (const part of partsOf(found)) visit(part, names);
    const { properties } = found;
    for (const [leaf, property] of isObject(properties) ? Object.entries(properties) : []) {
      if (places.size >= MAX_PLACES) return;
      const path = [...names, leaf];
      const name = path.join('.');
      const resolved = resolveReference(document, property);
      if (!isObject(resolved) || resolved['x-internal'] === true) continue;
      if (!places.has(name)) {
        const description = textOf(resolved.description);
        places.set(name, { group, name, leaf, values: valuesOf(document, resolved), description });
      }
      if (path.length < depth && isObject(property) && !hasPage(property)) {
        visit(property, path);
      }
    }
  };
  visit(schema, []);
  return [...places.values()];
}

/** The schemas of which a schema is made, whose properties are its own, and those of its items. */
function partsOf({ items, additionalProperties, ...schema }: Record<string, unknown>): unknown[] {
  const lists = [schema.allOf, schema.oneOf, schema.anyOf].filter(Array.isArray).flat();
  return [...lists, items, additionalProperties];
}

/** The allowed values of a schema, or of the items of a list. */
export function valuesOf(document: OpenApiDocument, schema: unknown): string[] {
  const found = resolveReference(document, schema);
  if (!isObject(found)) return [];
  const items = resolveReference(document, found.items);
  return [found, items]
    .filter(isObject)
    .flatMap((one) => [
      one.const,
      ...(Array.isArray(one.enum) ? one.enum.slice(0, MAX_VALUES) : []),
    ])
    .filter((value) => ['string', 'number', 'bigint'].includes(typeof value))
    .map(String)
    .filter((value) => value.length <= MAX_VALUE);
}
