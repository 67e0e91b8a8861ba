import { isObject } from '../../openapi/openapi-types.ts';
import { buildRequest } from '../../request/build-request.ts';
import { exampleBody } from '../../request/example-values.ts';
import { formatJson, isValid } from '../../request/json-text.ts';
import { isJson, isJsonLines, isMultipart, isUrlencoded } from '../../request/media-types.ts';
import type { EncodingData } from '../../request/operation-data.ts';
import { toJson } from '../../syntax/exact-text.ts';
import { toYaml } from '../../syntax/exact-yaml.ts';
import { partsInOrder } from './multipart-text.ts';

export type ExampleLanguage = 'json' | 'xml' | 'yaml' | 'text';

export interface ExampleText {
  readonly text: string;
  readonly language: ExampleLanguage;
}

/** `application/xml`, `application/problem+xml`, `image/svg+xml`. */
export const isXml = (type: string) => /^[^;]*[/+]xml\s*(?:;|$)/i.test(type);

const isYaml = (type: string) => /^[^;]*[/+](?:x-)?yaml\s*(?:;|$)/i.test(type);

const isEventStream = (type: string) => /^text\/event-stream\b/i.test(type);

/** Whether a media type is a list of values, each of which `itemSchema` describes. */
export const isSequence = (type: string) => isJsonLines(type) || isEventStream(type);

/** Whether nobody would read a text of this media type. */
export const isBinary = (type: string) =>
  /^(?:(?:image|audio|video|font)\/|application\/(?:octet-stream|pdf|zip|gzip|x-tar|vnd\.openxml|vnd\.ms-|wasm|protobuf|x-protobuf|grpc))/i.test(
    type,
  ) && !isXml(type);

/** A value as a body of the media type would have it. XML is made elsewhere, since it needs the schema. */
export function exampleText(
  type: string,
  value: unknown,
  media: Record<string, unknown> = {},
): ExampleText {
  if (isUrlencoded(type) && isObject(value)) return text(formBody(type, value, media));
  if (isMultipart(type) && Array.isArray(value)) return text(partsInOrder(value, media));
  if (isMultipart(type) && isObject(value)) return text(partList(value));
  if (isEventStream(type) && typeof value !== 'string') return text(events(value));
  if (isJsonLines(type) && typeof value !== 'string') return json(lines(value));
  if (isYaml(type) && typeof value !== 'string') {
    return { text: toYaml(value).trimEnd(), language: 'yaml' };
  }
  if (typeof value === 'string' && !isJson(type)) return givenText(type, value);
  if (typeof value === 'string' && /^\s*[[{]/.test(value))
    return json(formatJson(value) ?? toJson(value).trim());
  return json(toJson(value).trimEnd());
}

/** A body that the document has as text. */
export function givenText(type: string, value: string): ExampleText {
  if (isXml(type)) return { text: value.trim(), language: 'xml' };
  if (isYaml(type)) return { text: value, language: 'yaml' };
  if (isJson(type)) return json(formatJson(value) ?? value);
  const isLikeJson = /^\s*[[{]/.test(value) && value.length < 1e6 && isValid(value);
  return isLikeJson || isJsonLines(type) ? json(value) : text(value);
}

const text = (value: string): ExampleText => ({ text: value, language: 'text' });
const json = (value: string): ExampleText => ({ text: value, language: 'json' });

/** The body of a form, as it is sent. */
function formBody(type: string, value: object, { encoding }: Record<string, unknown>): string {
  const encodings = Object.entries(isObject(encoding) ? encoding : {}).flatMap(([name, one]) =>
    isObject(one) ? [{ name, ...(one as Omit<EncodingData, 'name'>) }] : [],
  );
  const media = { type, encoding: encodings };
  const data = { method: 'POST', path: '', title: '', servers: [], body: { content: [media] } };
  const body = exampleBody({ ...media, example: toJson(value) });
  const built = body && buildRequest(data, { body }).body;
  return built?.kind === 'text' ? built.text : '';
}

/** `name: value` for each part. */
function partList(value: object): string {
  return Object.entries(value)
    .map(([name, part]) => `${name}: ${typeof part === 'string' ? part : toJson(part, 0).trim()}`)
    .join('\n');
}

function lines(value: unknown): string {
  const items = Array.isArray(value) ? value : [value, value];
  return items.map((item) => toJson(item, 0).trim()).join('\n');
}

const EVENT_FIELDS = ['event', 'id', 'retry', 'data'];

/** HTML, “Server-sent events”: an object with its fields is an event, any other value the data of one. */
function events(value: unknown): string {
  const items = Array.isArray(value) ? value : [value];
  return items
    .map((item) => {
      const isEvent =
        isObject(item) && Object.keys(item).every((name) => EVENT_FIELDS.includes(name));
      const fields: [string, unknown][] = isEvent ? Object.entries(item) : [['data', item]];
      return fields
        .map(
          ([name, field]) =>
            `${name}: ${typeof field === 'string' ? field : toJson(field, 0).trim()}`,
        )
        .join('\n');
    })
    .join('\n\n');
}
