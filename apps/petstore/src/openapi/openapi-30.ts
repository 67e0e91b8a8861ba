import type { OpenAPIV3_1 } from 'openapi-types';
import type { OpenApiDocument } from './document.ts';
import { withQueryAs } from './openapi-31.ts';

type Members = Record<string, unknown>;

/**
 * The document in OpenAPI 3.0, for generators that know nothing later. It has the same operations; what 3.0 cannot
 * express (a `summary` of the whole, a license's identifier, webhooks, the method QUERY) is written in another way or left out. A body
 * that may have several media types is described with `application/json` alone, since such generators stop at a second
 * one.
 */
export function toOpenApi30(document: OpenApiDocument): object {
  const { openapi: _, info, components = {}, webhooks: _unknown, ...others } = document;
  const rest = { ...others, paths: withQueryAs(document, undefined) };
  const { schemas = {}, pathItems: _ofWebhooks, ...parts } = components;
  return {
    openapi: '3.0.3',
    info: info30(info),
    ...(withSchemas30(rest) as Members),
    components: { ...(withSchemas30(parts) as Members), schemas: mapMembers(schemas, schema30) },
  };
}

function info30({ summary, description, license, ...info }: OpenAPIV3_1.InfoObject): object {
  const { identifier, ...named } = license ?? { name: '' };
  return {
    ...info,
    description: [summary, description].filter(Boolean).join(' '),
    ...(license && {
      license: {
        ...named,
        ...(identifier && { url: `https://spdx.org/licenses/${identifier}.html` }),
      },
    }),
  };
}

/** Members with data, in which nothing is a schema, whatever its name. */
const DATA = new Set(['example', 'examples']);

/** A part of the document with each schema in it as 3.0 has it. */
function withSchemas30(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withSchemas30);
  if (!isObject(part)) return part;
  return mapMembers(part, (member, name) => {
    if (DATA.has(name)) return member;
    if (name === 'schema') return schema30(member);
    if (name === 'content') return withSchemas30(withOneMediaType(member as Members));
    return withSchemas30(member);
  });
}

function withOneMediaType(content: Members): Members {
  const json = content['application/json'];
  return json === undefined ? content : { 'application/json': json };
}

/** Keywords whose values are schemas: one, a list of them, or named ones. */
const OF_SCHEMAS: Record<string, (value: unknown) => unknown> = {
  items: schema30,
  not: schema30,
  additionalProperties: schema30,
  allOf: (schemas) => (schemas as unknown[]).map(schema30),
  anyOf: (schemas) => (schemas as unknown[]).map(schema30),
  oneOf: (schemas) => (schemas as unknown[]).map(schema30),
  properties: (schemas) => mapMembers(schemas as Members, schema30),
};

/** A JSON Schema of the 2020-12 draft as a Schema Object of OpenAPI 3.0.3, section 4.7.24. */
function schema30(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { $ref, ...others } = schema;
  // 3.0 reads nothing beside a reference.
  if ($ref !== undefined)
    return Object.keys(others).length === 0
      ? schema
      : { ...(schema30(others) as Members), allOf: [{ $ref }] };
  const { type, const: only, examples, exclusiveMinimum, exclusiveMaximum, ...rest } = others;
  const { contentMediaType, contentEncoding, ...plain } = rest;
  return {
    ...type30(type),
    ...mapMembers(plain, (value, keyword) => OF_SCHEMAS[keyword]?.(value) ?? value),
    ...(only !== undefined && { enum: [only] }),
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(exclusiveMaximum !== undefined && { maximum: exclusiveMaximum, exclusiveMaximum: true }),
    ...(Array.isArray(examples) && { example: examples[0] }),
    ...(contentMediaType !== undefined && { format: 'binary' }),
    ...(contentEncoding === 'base64' && { format: 'byte' }),
  };
}

/** 3.0 knows one type, and null as a mark on it. */
function type30(type: unknown): Members {
  if (type === undefined) return {};
  const types = [type].flat().filter((name) => name !== 'null');
  return {
    ...(types.length === 1 && { type: types[0] }),
    ...(types.length > 1 && { anyOf: types.map((name) => ({ type: name })) }),
    ...([type].flat().includes('null') && { nullable: true }),
  };
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapMembers(members: object, map: (value: unknown, name: string) => unknown): Members {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, map(value, name)]),
  );
}
