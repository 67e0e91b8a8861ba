import type { OpenApiDocument, OperationSummary } from './openapi-types.ts';

/** The operations and webhooks of an OpenAPI 3.1 document, in its order. */
export function listOperations(_document: OpenApiDocument): OperationSummary[] {
  return [];
}
