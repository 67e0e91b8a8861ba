import type { Tool } from '@modelcontextprotocol/server';
import type { Argument, OperationTool, Schema } from './operation-tool.ts';
import { argumentSchema, resolved } from './schemas.ts';

/** Methods that change nothing (RFC 9110, section 9.2.1; RFC 10008 for QUERY). */
const SAFE = ['get', 'query'];
const METHODS = [...SAFE, 'post', 'put', 'patch', 'delete'];
/** RFC 9110, section 9.2.2. */
const IDEMPOTENT = [...SAFE, 'put', 'delete'];

/** Operations of this tag lead out of the store, to addresses that their callers name. */
const OPEN_WORLD_TAG = 'webhooks';

/** What MCP allows as the name of a tool. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** An OpenAPI document, in the parts that are read here. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths?: Readonly<Record<string, object | undefined>>;
  readonly components?: object | undefined;
}

interface Components {
  readonly schemas?: Readonly<Record<string, Schema>>;
  readonly parameters?: Readonly<Record<string, Parameter>>;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
  readonly 'x-stability'?: string;
  readonly 'x-deprecated-sunset'?: string;
  readonly 'x-required-scopes'?: readonly string[];
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

/**
 * A tool for each operation of a document, in its order. Left out are operations without an id, and those whose success
 * has a body but not in JSON: streams, downloads and pages are not for a tool. Where an operation has JSON among other
 * types, the tool asks for JSON.
 */
export function toolsOf({ paths = {}, components = {} }: ApiDocument): OperationTool[] {
  return Object.entries(paths).flatMap(([path, item = {}]) =>
    METHODS.flatMap((method) => {
      const operation = operationAt(item, method);
      return operation && isForTools(operation)
        ? [toolOf(method, path, operation, components as Components)]
        : [];
    }),
  );
}

/** OpenAPI has QUERY from version 3.2 on; documents of earlier ones have it as an extension. */
function operationAt(item: object, method: string): Operation | undefined {
  const operations = item as Record<string, Operation | undefined>;
  return operations[method] ?? (method === 'query' ? operations['x-query'] : undefined);
}

function isForTools({ operationId = '', responses = {} }: Operation): boolean {
  const bodies = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content = {} }]) => Object.keys(content));
  const isJson = (types: string[]) => types.length === 0 || types.includes('application/json');
  return TOOL_NAME.test(operationId) && bodies.length > 0 && bodies.every(isJson);
}

function toolOf(
  method: string,
  path: string,
  operation: Operation,
  components: Components,
): OperationTool {
  const [bodyType] = Object.keys(operation.requestBody?.content ?? {});
  const all = argumentsOf(method, operation, components);
  const required = all.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const { operationId = '', summary } = operation;
  return {
    listing: {
      name: operationId,
      ...(summary && { title: summary }),
      description: descriptionOf(operation),
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(
          all.map(({ name, schema }) => [name, argumentSchema(schema)]),
        ),
        ...(required.length > 0 && { required }),
        additionalProperties: false,
      } as Tool['inputSchema'],
      annotations: annotationsOf(method, operation),
    },
    scopes: operation['x-required-scopes'] ?? [],
    method: method.toUpperCase(),
    path,
    arguments: all,
    bodyType,
  };
}

function descriptionOf(operation: Operation): string {
  const { description, summary, deprecated } = operation;
  const sunset = operation['x-deprecated-sunset'];
  const stability = operation['x-stability'];
  const scopes = operation['x-required-scopes'] ?? [];
  return [
    description ?? summary ?? '',
    ...(deprecated ? [`Deprecated${sunset ? `: it is removed on ${sunset}` : ''}.`] : []),
    ...(stability ? [`Stability: ${stability}.`] : []),
    ...(scopes.length > 0 ? [`Needs the scope ${scopes.join(', ')}.`] : []),
  ].join(' ');
}

/** What may destroy is everything that changes, save what only adds: that responds with 201. */
function annotationsOf(method: string, { tags = [], responses = {} }: Operation) {
  const isSafe = SAFE.includes(method);
  const isAdding = method === 'post' && responses[201] !== undefined;
  return {
    readOnlyHint: isSafe,
    destructiveHint: !isSafe && !isAdding,
    idempotentHint: IDEMPOTENT.includes(method),
    openWorldHint: !isSafe && tags.includes(OPEN_WORLD_TAG),
  };
}

/**
 * Parameters keep their names, and so do the members of a body that is an object. A body of another kind, or with a
 * member that has the name of a parameter, is the argument `body`.
 */
function argumentsOf(
  method: string,
  { parameters = [], requestBody }: Operation,
  { schemas = {}, parameters: shared = {} }: Components,
): Argument[] {
  const all = parameters
    .map((one) => ({ ...one, ...shared[one.$ref?.slice(one.$ref.lastIndexOf('/') + 1) ?? ''] }))
    .filter((one) => one.in === 'path' || one.in === 'query' || isUsefulHeader(one, method))
    .map(
      (one): Argument => ({
        name: one.name,
        place: one.in as Argument['place'],
        isRequired: one.in === 'path' || one.required === true,
        schema: {
          ...resolved(one.schema ?? {}, schemas),
          ...(one.description && { description: one.description }),
        },
      }),
    )
    .sort((a, b) => Number(b.place === 'path') - Number(a.place === 'path'));
  const { schema } = Object.values(requestBody?.content ?? {})[0] ?? {};
  if (!schema) return all;
  const body = resolved(schema, schemas);
  const members = Object.entries(body.properties ?? {});
  const isNameTaken = members.some(([name]) => all.some((one) => one.name === name));
  if (body.type !== 'object' || isNameTaken) {
    return [...all, { name: 'body', place: 'body', isRequired: true, schema: body }];
  }
  const ofBody = members.map(
    ([name, member]): Argument => ({
      name,
      place: 'member',
      isRequired: body.required?.includes(name) === true,
      schema: member,
    }),
  );
  const headers = all.filter(({ place }) => place === 'header');
  const others = all.filter(({ place }) => place !== 'header');
  return [...others, ...ofBody, ...headers];
}

/** A header that makes a call safe to repeat, or a change safe against those of others. */
function isUsefulHeader({ in: place, name }: Parameter, method: string): boolean {
  if (place !== 'header') return false;
  if (name === 'If-Match') return ['put', 'patch', 'delete'].includes(method);
  return name === 'Idempotency-Key';
}
