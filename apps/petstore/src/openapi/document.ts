import { createRequire } from 'node:module';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { ApiErrorCode } from '@petstore/http/errors.ts';
import Fastify, {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyPluginCallback,
  type FastifySchema,
  type FastifyServerOptions,
  type RouteOptions,
} from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { BaseUrls } from '../addresses.ts';
import { describeFaults } from '../faults/describe-faults.ts';
import { sunsetDate } from '../http/admission/deprecation.ts';
import { describeFullSandbox } from '../sandboxes/describe-full-sandbox.ts';
import type { Named } from '../schema-types.ts';
import { isOffered, type StabilityLevel } from '../stability.ts';
import { extractComponents } from './components.ts';
import {
  OPTIONAL_BODY_FAILURES,
  type ResponseObject,
  scopeResponse,
  withFailure,
} from './responses.ts';
import { webhooksOfDocument } from './webhooks.ts';

/** The version of the interface, not of this program. */
const INTERFACE_VERSION = '1.0.0';

/** Their types name the compilers of another library. */
const NO_COMPILERS = {
  buildValidator: () => () => () => true,
  buildSerializer: () => () => () => '',
} as unknown as NonNullable<
  NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']
>;

export type OpenApiDocument = OpenAPIV3_1.Document;

const DEPRECATION_HEADERS = {
  Deprecation: {
    description: 'Since when the operation is deprecated, in seconds (RFC 9745).',
    type: 'string',
    examples: ['@1764892800'],
  },
  Sunset: {
    description: 'When the operation is removed (RFC 8594).',
    type: 'string',
    examples: ['Thu, 05 Dec 2030 00:00:00 GMT'],
  },
  Link: {
    description: 'What replaces it (`rel="successor-version"`).',
    type: 'string',
    examples: ['<https://petstore.example.com/v1/pets>; rel="successor-version"'],
  },
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The reference shows no panel to try the operation in. */
    hidesTryItPanel?: boolean;
    /** Where the response has an API key for a sandbox, and when that ends, as JSON pointers. */
    givesKey?: { readonly credential: string; readonly expiresAt: string };
  }
  interface FastifyInstance {
    /** The operations, without the addresses of a server. */
    describeOperations(): Promise<OpenApiDocument>;
  }
}

/**
 * Collects the routes that are added from here on for the document, as far as they are offered at a level of stability.
 * `schemas` are the named ones, in the document's order. `hasSandboxes`:
 * whether there are sandboxes, which can be full, and in which requests can ask for faults.
 */
export function collectOperations(
  app: FastifyInstance,
  level: StabilityLevel,
  schemas: readonly Named[],
  { hasSandboxes }: { hasSandboxes: boolean },
): void {
  const operations: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    const { schema, config = {}, method } = route;
    // The HEAD that the framework adds to a GET is described with the GET.
    const isOperation = schema && !schema.hide && method !== 'HEAD';
    if (isOperation && isOffered(config, level)) operations.push(route);
  });
  let described: Promise<OpenApiDocument> | undefined;
  app.decorate('describeOperations', () => {
    described ??= describe(operations, schemas, { hasSandboxes }).catch((error) => {
      // The next one tries again: a module could not be read, as when too many files are open.
      described = undefined;
      throw error;
    });
    return described;
  });
}

/** Required, not imported: after a failure, require reads the module again, and import does not. */
const load = createRequire(import.meta.url);

type Generator = FastifyPluginCallback<FastifyDynamicSwaggerOptions>;

/**
 * The plugin that makes the document. Most of it is loaded when it is registered, where an error would end the process.
 */
const generator: Generator = Object.assign(
  (...[app, options, done]: Parameters<Generator>) => {
    try {
      const swagger: Generator = load('@fastify/swagger');
      swagger(app, options, done);
    } catch (error) {
      done(error as Error);
    }
  },
  // As fastify-plugin marks it: its additions are for the whole app.
  { [Symbol.for('skip-override')]: true },
);

/**
 * Makes the document of an app that has the operations and nothing else. The generator takes longer to load than the
 * database to open, so it is loaded with the first request for the document.
 */
async function describe(
  operations: readonly RouteOptions[],
  schemas: readonly Named[],
  { hasSandboxes }: { hasSandboxes: boolean },
): Promise<OpenApiDocument> {
  const nothing = () => undefined;
  const app = Fastify({
    exposeHeadRoutes: false,
    // It serves no requests, so nothing is compiled.
    schemaController: { compilersFactory: NO_COMPILERS },
  });
  await app.register(generator, {
    openapi: {
      openapi: '3.1.1',
      info: {
        title: 'Petstore',
        version: INTERFACE_VERSION,
        summary: "A store's animals over HTTP.",
        description:
          "Keeps a store's animals. Every operation requires an API key as a bearer credential, and " +
          'every error response has the same body.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [
        { name: 'pets', description: 'The animals of the store.' },
        { name: 'categories', description: 'What kinds of animals there are.' },
        { name: 'orders', description: 'Who buys which animal.' },
        { name: 'sandboxes', description: 'Stores of your own, to try things on.' },
        { name: 'events', description: 'What happened to animals and orders.' },
        { name: 'webhooks', description: 'Who is sent events.' },
        { name: 'report', description: 'How a client behaved in a sandbox.' },
        { name: 'challenges', description: 'Tasks for a client, in a sandbox that makes it hard.' },
        { name: 'faults', description: 'What goes wrong on request, in a sandbox.' },
      ],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'The API key, sent as `Authorization: Bearer <API_KEY>`.',
            ...sandboxOffer(operations),
          },
        },
      },
      security: [{ apiKey: [] }],
    },
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
    transform: ({ schema, url, route: { config = {}, method } }) => {
      const whole = method === 'GET' ? schema : describeUnaskedBody(schema);
      const described = describeDeprecation(describeScope(whole, config), config);
      const inSandboxes = hasSandboxes
        ? describeFaults(describeFullSandbox(described, config), config)
        : described;
      return { schema: describeMarks(inSandboxes, config), url };
    },
  });
  for (const schema of schemas) app.addSchema(schema);
  for (const { url, method, schema = {}, config = {} } of operations) {
    app.route({ url, method, schema, config, handler: nothing });
  }
  await app.ready();
  const document = app.swagger() as unknown as OpenApiDocument;
  letBodiesBeOmitted(document, operations);
  return document;
}

/** The generator says of every body that it is required. */
function letBodiesBeOmitted({ paths = {} }: OpenApiDocument, operations: readonly RouteOptions[]) {
  const optional = new Set(
    operations
      .filter(({ config }) => config?.isBodyOptional)
      .map(({ schema }) => (schema as { operationId?: string }).operationId),
  );
  for (const methods of Object.values(paths)) {
    for (const operation of Object.values(methods ?? {}) as OpenAPIV3_1.OperationObject[]) {
      const { operationId, requestBody } = operation;
      if (optional.has(operationId)) delete (requestBody as { required?: boolean }).required;
    }
  }
}

/** The extension by which the panels of a reference get a reader a key, where one can be had without a key. */
function sandboxOffer(operations: readonly RouteOptions[]): object {
  const free = operations.find(({ config }) => config?.givesKey && config.isKeyOptional);
  const { operationId } = (free?.schema ?? {}) as { operationId?: string };
  return free ? { 'x-sandbox': { operationId, ...free.config?.givesKey } } : {};
}

/** Adds to an operation that takes no body what one can end in: it is read, unless it is that of a GET. */
function describeUnaskedBody(schema: FastifySchema): FastifySchema {
  if (schema.body) return schema;
  let response = schema.response as Record<number, ResponseObject>;
  for (const [code, message] of Object.entries(OPTIONAL_BODY_FAILURES)) {
    response = withFailure(response, code as ApiErrorCode, message);
  }
  return { ...schema, response };
}

/**
 * Copies the scope that a route needs into the document. It does not become a scope of `security`: OpenAPI 3.1 would
 * allow that, but the interface asks for a bearer credential and no more.
 */
function describeScope(schema: FastifySchema, { scope }: FastifyContextConfig): FastifySchema {
  if (scope === undefined) return schema;
  return {
    ...schema,
    response: { ...(schema.response as object), ...scopeResponse(scope) },
    'x-required-scopes': [scope],
  } as FastifySchema;
}

/** Copies a route's deprecation from its one definition into the document. */
function describeDeprecation(
  schema: FastifySchema,
  { deprecation }: FastifyContextConfig,
): FastifySchema {
  if (!deprecation) return schema;
  const response = Object.fromEntries(
    Object.entries(schema.response as Record<string, { headers: object }>).map(
      ([status, response]) => [
        status,
        { ...response, headers: { ...response.headers, ...DEPRECATION_HEADERS } },
      ],
    ),
  );
  return {
    ...schema,
    response,
    deprecated: true,
    'x-deprecated-sunset': sunsetDate(deprecation.sunset),
  } as FastifySchema;
}

/** The same in GitBook's extension fields, and whether the key is optional. */
function describeMarks(
  schema: FastifySchema,
  { stability, hidesTryItPanel, isKeyOptional }: FastifyContextConfig,
): FastifySchema {
  return {
    ...schema,
    ...(stability && { 'x-stability': stability }),
    ...(hidesTryItPanel && { 'x-hideTryItPanel': true }),
    ...(isKeyOptional && { security: [{}, { apiKey: [] }] }),
  } as FastifySchema;
}

/**
 * The document as of an instant: operations whose sunset has come are not in it. `baseUrls` become
 * its servers. The app must be ready.
 */
export async function openApiDocument(
  app: FastifyInstance,
  baseUrls: BaseUrls,
  now: Date,
): Promise<OpenApiDocument> {
  const document = structuredClone(await app.describeOperations());
  const { openapi, info, components, tags = [], paths: all = {}, ...rest } = document;
  const paths = Object.fromEntries(
    Object.entries(all)
      .map(([path, operations]) => [relativeToServer(path), inForce(operations ?? {}, now)])
      .filter(([, operations]) => Object.keys(operations ?? {}).length > 0),
  ) as OpenAPIV3_1.PathsObject;
  const used = new Set(
    Object.values(paths).flatMap((operations) =>
      Object.values(operations ?? {}).flatMap(
        (operation) => (operation as OpenAPIV3_1.OperationObject).tags ?? [],
      ),
    ),
  );
  const sent = paths['/webhooks'] && webhooksOfDocument();
  return {
    openapi,
    info,
    servers: [
      { url: baseUrls.production, description: 'Production' },
      { url: baseUrls.staging, description: 'Staging' },
    ],
    paths,
    ...(sent && { webhooks: sent.webhooks }),
    components: {
      ...components,
      schemas: referenced(components?.schemas ?? {}, paths),
      ...extractComponents(paths),
      ...(sent && { pathItems: sent.pathItems }),
    },
    ...rest,
    tags: tags.filter(({ name }) => used.has(name)),
  };
}

/**
 * Makes functions whose results depend on the document, and are computed anew each day: an operation leaves the
 * document on its sunset day, and nothing else changes. `now` is in milliseconds since 1970.
 */
export function documentDerivatives(
  app: FastifyInstance,
  { baseUrls, now }: { baseUrls: () => BaseUrls; now: () => number },
) {
  return <T>(write: (document: OpenApiDocument) => T | Promise<T>): (() => Promise<T>) => {
    let day: string | undefined;
    let written: Promise<T>;
    return () => {
      const date = new Date(now());
      const today = sunsetDate(date);
      if (today !== day) {
        written = openApiDocument(app, baseUrls(), date).then(write);
        written.catch(() => {
          day = undefined;
        });
      }
      day = today;
      return written;
    };
  };
}

/** The schemas that the operations, or other schemas, refer to. */
function referenced<T>(schemas: Record<string, T>, paths: object): Record<string, T> {
  const found = new Set<string>();
  const search = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $ref } = value as { $ref?: unknown };
    const name = typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : undefined;
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      search(schemas[name]);
    }
    for (const member of Object.values(value)) search(member);
  };
  search(paths);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
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
export function toJson(document: object): string {
  const exact = (_key: string, value: unknown) =>
    typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
  return `${JSON.stringify(document, exact, 2)}\n`;
}

/** The document as YAML, with every integer exact as well. */
export async function toYaml(document: object): Promise<string> {
  // Loaded here, since it takes longer to load than most parts and is rarely needed.
  const { stringify } = await import('yaml');
  return stringify(document, {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    // Older readers would take an unquoted 2030-12-05 for a date and `no` for false.
    compat: 'yaml-1.1',
  });
}
