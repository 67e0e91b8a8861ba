import type { OpenApiDocument } from './document.ts';

type Members = Record<string, unknown>;

/**
 * The document in OpenAPI 3.2, which knows the method QUERY, and can say what the items of a stream are: where a list of items also comes as a
 * stream, each of its media types has the `itemSchema` of the list.
 */
export function toOpenApi32(document: OpenApiDocument): object {
  const { openapi: _, ...rest } = document;
  const schemas = (document.components?.schemas ?? {}) as Record<string, Members>;
  return { openapi: '3.2.0', ...(withStreams(rest, schemas) as Members) };
}

function withStreams(part: unknown, schemas: Record<string, Members>): unknown {
  if (Array.isArray(part)) return part.map((member) => withStreams(member, schemas));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, member]) => [
      name,
      name === 'content' && isObject(member)
        ? streamed(member, schemas)
        : withStreams(member, schemas),
    ]),
  );
}

function streamed(content: Members, schemas: Record<string, Members>): Members {
  const item = itemOf(content['application/json'], schemas);
  if (item === undefined) return content;
  const itemSchemas: Record<string, unknown> = {
    'application/jsonl': item,
    'application/x-ndjson': item,
    'text/event-stream': serverSentEvent(item),
  };
  return Object.fromEntries(
    Object.entries(content).map(([mediaType, media]) => {
      const itemSchema = itemSchemas[mediaType];
      if (itemSchema === undefined || !isObject(media)) return [mediaType, media];
      const { schema: _, ...rest } = media;
      return [mediaType, { ...rest, itemSchema }];
    }),
  );
}

/** What the items of a list are; undefined where it is none. */
function itemOf(media: unknown, schemas: Record<string, Members>): unknown {
  const { $ref } = ((isObject(media) && media.schema) || {}) as { $ref?: string };
  const list = $ref === undefined ? undefined : schemas[$ref.slice($ref.lastIndexOf('/') + 1)];
  return list?.type === 'array' ? list.items : undefined;
}

/** OpenAPI 3.2, section 4.14.4: an event is an object of its fields, and its data a text with JSON. */
function serverSentEvent(data: unknown): object {
  return {
    type: 'object',
    required: ['data'],
    properties: {
      id: { type: 'string' },
      event: { type: 'string' },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema: data },
      retry: { type: 'integer', minimum: 0 },
    },
  };
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
