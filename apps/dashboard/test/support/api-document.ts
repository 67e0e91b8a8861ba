import type { Service } from './service.ts';

/** As much of the dashboard's own document as the tests look at. */
export interface ApiDocument {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly schemas: Record<string, object>;
    readonly securitySchemes: Record<string, object>;
  };
}

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly security?: readonly object[];
  readonly responses: Record<string, object>;
}

export async function readApiDocument(service: Service): Promise<ApiDocument> {
  const answer = await service.visitor().call('GET', '/api/openapi.json');
  return (await answer.json()) as ApiDocument;
}

/** Every operation of the document, as `GET /api/projects/{slug}`. */
export function operationsOf({ paths }: ApiDocument): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}
