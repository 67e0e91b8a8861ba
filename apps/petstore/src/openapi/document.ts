import swagger, { type SwaggerTransform } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { BaseUrls } from '../addresses.ts';
import { sunsetDate } from '../http/deprecation.ts';

/** The version of the interface, not of this program. */
const INTERFACE_VERSION = '1.0.0';

export type OpenApiDocument = OpenAPIV3_1.Document;

const DEPRECATION_HEADERS = {
  Deprecation: {
    description: 'Since when the operation is deprecated, in seconds (RFC 9745).',
    type: 'string',
    examples: ['@1764892800'],
  },
  Sunset: {
    description: 'When the operation goes (RFC 8594).',
    type: 'string',
    examples: ['Thu, 05 Dec 2030 00:00:00 GMT'],
  },
  Link: {
    description: 'What takes its place (`rel="successor-version"`).',
    type: 'string',
    examples: ['<https://petstore.example.com/v1/pets>; rel="successor-version"'],
  },
};

/** Collects the routes that are added from here on into the document. */
export async function collectOperations(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: {
        title: 'Petstore',
        version: INTERFACE_VERSION,
        summary: "A store's animals over HTTP.",
        description:
          'Lists, adds and gets animals. Every operation requires an API key as a bearer ' +
          'credential, and every error response has the same body.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [{ name: 'pets', description: 'The animals of the store.' }],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'The API key, sent as `Authorization: Bearer <API_KEY>`.',
          },
        },
      },
      security: [{ apiKey: [] }],
    },
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
    transform: describeDeprecation,
  });
}

/** Carries a route's deprecation from its one definition into the document. */
const describeDeprecation: SwaggerTransform = ({ schema, url, route }) => {
  const deprecation = route.config?.deprecation;
  if (!deprecation || !schema) return { schema, url };
  const response = Object.fromEntries(
    Object.entries(schema.response as Record<string, { headers: object }>).map(
      ([status, answer]) => [
        status,
        { ...answer, headers: { ...answer.headers, ...DEPRECATION_HEADERS } },
      ],
    ),
  );
  const extended = {
    ...schema,
    response,
    deprecated: true,
    'x-deprecated-sunset': sunsetDate(deprecation.sunset),
  };
  return { schema: extended, url };
};

/**
 * The document as of an instant: operations whose sunset has come are not in it. `baseUrls` become
 * its servers. The app must be ready.
 */
export function openApiDocument(
  app: FastifyInstance,
  baseUrls: BaseUrls,
  now: Date,
): OpenApiDocument {
  const { openapi, info, paths = {}, ...rest } = app.swagger() as unknown as OpenApiDocument;
  return {
    openapi,
    info,
    servers: [
      { url: baseUrls.production, description: 'Production' },
      { url: baseUrls.staging, description: 'Staging' },
    ],
    paths: Object.fromEntries(
      Object.entries(paths)
        .map(([path, operations]) => [relativeToServer(path), inForce(operations ?? {}, now)])
        .filter(([, operations]) => Object.keys(operations ?? {}).length > 0),
    ),
    ...rest,
  };
}

/** The servers' addresses already end in /v1. */
function relativeToServer(path: string): string {
  return path.replace(/^\/v1(?=\/)/, '');
}

function inForce(operations: OpenAPIV3_1.PathItemObject, now: Date): OpenAPIV3_1.PathItemObject {
  const today = sunsetDate(now);
  return Object.fromEntries(
    Object.entries(operations).filter(([, operation]) => {
      const sunset = (operation as { 'x-deprecated-sunset'?: string })['x-deprecated-sunset'];
      return sunset === undefined || sunset > today;
    }),
  );
}

/** The document as JSON. Bigints keep every digit, which a JS number would not. */
export function toJson(document: OpenApiDocument): string {
  const exact = (_key: string, value: unknown) =>
    typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
  return `${JSON.stringify(document, exact, 2)}\n`;
}

/** The document as YAML, with every integer exact as well. */
export async function toYaml(document: OpenApiDocument): Promise<string> {
  // Loaded here, since it takes longer to load than most parts and is rarely needed.
  const { stringify } = await import('yaml');
  return stringify(document, {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    // Older readers would take an unquoted 2030-12-05 for a date and `no` for false.
    compat: 'yaml-1.1',
  });
}
