import { isObject, type OpenApiDocument } from '../openapi/openapi-types.ts';
import { modelName, resolveReference } from '../openapi/references.ts';

/** A value of a discriminator. */
export type PlainValue = string | number | bigint | boolean;

/** How many schemas of an alternative are searched: its own, and the parts of its `allOf`. */
const MAX_PARTS = 30;

/**
 * The value by which an alternative without an explicit mapping is known: the only one that its schema allows for the
 * property of the discriminator, otherwise the model's name (OpenAPI 3.1.1, “Discriminator Object”); undefined where it
 * has neither.
 */
export function implicitValue(
  document: OpenApiDocument,
  propertyName: unknown,
  choice: unknown,
): PlainValue | undefined {
  const target = isObject(choice) ? choice.$ref : undefined;
  if (typeof propertyName !== 'string') return modelName(target);
  // Parts are added meanwhile; one that is there twice is searched once.
  const parts = new Set([resolveReference(document, choice)]);
  for (const part of parts) {
    if (!isObject(part)) continue;
    const value = onlyValue(document, part.properties, propertyName);
    if (value !== undefined) return value;
    for (const one of Array.isArray(part.allOf) ? part.allOf : []) {
      if (parts.size < MAX_PARTS) parts.add(resolveReference(document, one));
    }
  }
  return modelName(target);
}

/** The constant of a property, or the only one of its allowed values. */
function onlyValue(
  document: OpenApiDocument,
  properties: unknown,
  name: string,
): PlainValue | undefined {
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return undefined;
  const property = resolveReference(document, properties[name]);
  if (!isObject(property)) return undefined;
  if (isPlain(property.const)) return property.const;
  const [value, ...others] = Array.isArray(property.enum) ? property.enum : [];
  return others.length === 0 && isPlain(value) ? value : undefined;
}

const isPlain = (value: unknown): value is PlainValue =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value);

/** What a mapping leads to, as a reference: a name alone is that of a model. */
export function targetOf(mapped: string): string {
  const isName = /^[\w.-]+$/.test(mapped) && !/\.(?:json|ya?ml)$/i.test(mapped);
  return isName ? `#/components/schemas/${mapped}` : mapped;
}
