import type { OpenAPIV3_1 } from 'openapi-types';
import type { OpenApiDocument } from '../document.ts';

/** A description of the service in Markdown, for programs that read for people: https://llmstxt.org. */
export function llmsText({ info, servers = [], paths = {} }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries((methods ?? {}) as Record<string, OpenAPIV3_1.OperationObject>).map(
      ([method, operation]) =>
        `- \`${method.toUpperCase()} ${path}\` (${operation.operationId}): ${operation.summary}${notes(operation)}`,
    ),
  );
  return `# ${info.title}

> ${info.summary} ${info.description}

${servers.map(({ url, description }) => `- ${description}: ${url}`).join('\n')}
- Authentication: \`Authorization: Bearer <API_KEY>\` on every operation. The key needs the scope that
  stands behind the operation, or \`admin\`.
- Ids are 64-bit integers: read them with every digit, as text or as big integers.
- Lists: follow the \`Link\` header with \`rel="next"\` until there is none.
- Errors: \`{"code", "message", "status"}\`; each code is explained at /errors/CODE.

## Documents

- [OpenAPI 3.1, JSON](/v1/openapi.json): every operation, parameter, schema and response
- [OpenAPI 3.1, YAML](/v1/openapi.yaml): the same
- [OpenAPI 3.0, JSON](/v1/openapi-3.0.json): the same, for generators that know nothing later
- [Reference](/reference): for people, with a panel to try each operation
- [Errors](/errors): what each error code means and what to do

## Operations

${operations.join('\n')}
`;
}

function notes(operation: OpenAPIV3_1.OperationObject): string {
  const {
    'x-stability': stability,
    'x-deprecated-sunset': sunset,
    'x-required-scopes': scopes = [],
  } = operation as {
    'x-stability'?: string;
    'x-deprecated-sunset'?: string;
    'x-required-scopes'?: string[];
  };
  return [
    ...scopes.map((scope) => `; ${scope}`),
    ...(stability ? [`; ${stability}`] : []),
    ...(operation.deprecated
      ? [`; deprecated${sunset ? `, to be removed on ${sunset}` : ''}`]
      : []),
  ].join('');
}
