import { isObject, type OpenApiDocument } from './openapi-types.ts';
import { resolveReference } from './references.ts';

/** A Security Requirement Object: the names of schemes that are needed together, each with its scopes. */
export type Requirement = Readonly<Record<string, unknown>>;

/**
 * What an operation needs of its caller: one of the requirements. The operation's own replace the document's, also by
 * an empty list, which needs nothing (OpenAPI 3.1.1, “Operation Object”).
 */
export function requirementsOf(
  document: OpenApiDocument,
  operation: Readonly<Record<string, unknown>>,
): Requirement[] {
  const given = Array.isArray(operation.security) ? operation.security : document.security;
  return Array.isArray(given) ? given.filter(isObject) : [];
}

/** The names of the security schemes that a document declares. */
export const schemeNames = (document: OpenApiDocument): string[] =>
  Object.keys(declaredSchemes(document));

/** A Security Scheme Object by its name, its references followed; undefined where the document has none. */
export function securityScheme(
  document: OpenApiDocument,
  name: string,
): Record<string, unknown> | undefined {
  const declared = declaredSchemes(document);
  const scheme = Object.hasOwn(declared, name)
    ? resolveReference(document, declared[name])
    : undefined;
  return isObject(scheme) ? scheme : undefined;
}

function declaredSchemes({ components }: OpenApiDocument): Record<string, unknown> {
  const schemes = isObject(components) ? components.securitySchemes : undefined;
  return isObject(schemes) ? schemes : {};
}
