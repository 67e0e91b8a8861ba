import type { FastifyPluginCallback } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { BaseUrls } from '../addresses.ts';
import { documentDerivatives, type OpenApiDocument, toJson, toYaml } from './document.ts';
import { toOpenApi30 } from './openapi-30.ts';
import { toOpenApi31 } from './openapi-31.ts';
import { toOpenApi32 } from './openapi-32.ts';
import { Asset } from './reference/asset.ts';

interface DocumentDeps {
  readonly baseUrls: () => BaseUrls;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** The forms in which the document is served. RFC 9512 names the media type of YAML. */
const FORMS: Record<string, (today: OpenApiDocument) => Promise<Asset>> = {
  '/openapi.json': async (today) => new Asset(JSON_TYPE, toJson(toOpenApi31(today))),
  '/openapi.yaml': async (today) => new Asset('application/yaml', await toYaml(toOpenApi31(today))),
  '/openapi-3.2.json': async (today) => new Asset(JSON_TYPE, toJson(toOpenApi32(today))),
  '/openapi-3.0.json': async (today) => new Asset(JSON_TYPE, toJson(toOpenApi30(today))),
};

/** The document itself, for anyone: a reader needs it before a key. */
export const documentRoutes: FastifyPluginCallback<DocumentDeps> = (app, deps, done) => {
  const daily = documentDerivatives(app, deps);
  for (const [path, write] of Object.entries(FORMS)) {
    const form = daily(write);
    app.get(path, { schema: { hide: true } }, async (request, reply) =>
      (await form()).send(request, reply, 'no-cache'),
    );
  }
  done();
};

interface TextDeps {
  readonly baseUrls: () => BaseUrls;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** Texts for programs that read for people. */
export const textRoutes: FastifyPluginCallback<TextDeps> = (app, deps, done) => {
  const llms = documentDerivatives(
    app,
    deps,
  )((today) => new Asset('text/markdown; charset=utf-8', llmsText(today)));
  app.get('/llms.txt', { schema: { hide: true } }, async (request, reply) =>
    (await llms()).send(request, reply, 'no-cache'),
  );
  done();
};

/** A description of the service in Markdown, for programs that read for people: https://llmstxt.org. */
function llmsText({ info, servers = [], paths = {} }: OpenApiDocument): string {
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
- [OpenAPI 3.2, JSON](/v1/openapi-3.2.json): the same, with the method QUERY, and what the items of streams are
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
