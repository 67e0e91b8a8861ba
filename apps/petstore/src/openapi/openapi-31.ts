import type { OpenApiDocument } from './document.ts';

/**
 * The document in OpenAPI 3.1, which does not know the method QUERY: such an operation is in the extension field
 * `x-query` of its path, as whole as any other.
 */
export function toOpenApi31(document: OpenApiDocument): object {
  return { ...document, paths: withQueryAs(document, 'x-query') };
}

/** The paths of a document with each operation of the method QUERY under another name; without it where there is none. */
export function withQueryAs({ paths = {} }: OpenApiDocument, name: string | undefined): object {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations ?? {})
          .filter(([method]) => method !== 'query' || name !== undefined)
          .map(([method, operation]) => [method === 'query' ? name : method, operation]),
      ),
    ]),
  );
}
