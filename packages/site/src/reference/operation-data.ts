import { type Html, html, scriptJson } from '@petstore/http/html.ts';
import { prefix, truncate } from '@petstore/service/text.ts';
import { isObject, textOf } from '../openapi/openapi-types.ts';
import { type FoundOperation, operationTitle } from '../openapi/operations.ts';
import { type Parameter, parametersOf } from '../openapi/parameters.ts';
import { resolveReference } from '../openapi/references.ts';
import { isJson, isMultipart, isUrlencoded } from '../request/media-types.ts';
import {
  type BodyData,
  DATA_ID,
  type EncodingData,
  type ExampleData,
  type MediaData,
  type OperationData,
  type ParameterData,
  type ParameterLocation,
  type ParameterStyle,
  type SchemaData,
  type Serialization,
} from '../request/operation-data.ts';
import { defaultStyle, isExploded } from '../request/serialize.ts';
import { toPointer } from '../syntax/source.ts';
import { bodyExamples } from './body-examples.ts';
import { exampleText } from './examples/example-text.ts';
import { bodyExample } from './examples/examples.ts';
import type { ReferenceContext } from './reference-context.ts';
import { enteredText, schemaData } from './schema-data.ts';
import { securityData } from './security-data.ts';
import { serverData } from './server-data.ts';

/** More of these than anyone fills in; what comes after them is left out, with a warning. */
const MAX_PARAMETERS = 200;
const MAX_MEDIA_TYPES = 8;
const MAX_ENCODINGS = 50;

/** In letters: a longer example stands in the page alone. */
const MAX_EXAMPLE = 6000;
/** In letters, of an operation: of the examples besides the first ones of their media types. */
const MAX_OTHER_EXAMPLES = 6000;
const MAX_DESCRIPTION = 140;

/** What the scripts of an operation's page need to know of it. */
export function operationData(context: ReferenceContext, found: FoundOperation): OperationData {
  const { method, path, item, operation } = found;
  const parameters = parameterList(context, found);
  const body = bodyOf(context, found);
  const accept = acceptOf(context, operation);
  return {
    method,
    path,
    title: operationTitle(found),
    servers: serverData(context, [operation, item, context.document]),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { body }),
    ...securityData(context, operation),
    ...(accept && { accept }),
  };
}

/** The script element that holds the data in the page. */
export function operationDataScript(data: OperationData): Html {
  return html`<script type="application/json" id="${DATA_ID}">${scriptJson(data)}</script>`;
}

/** OpenAPI 3.1.1, “Parameter Object”: these are said by bodies and security. */
const IGNORED_HEADERS = /^(?:accept|content-type|authorization)$/i;

function parameterList(context: ReferenceContext, found: FoundOperation): ParameterData[] {
  const all = parametersOf(context.document, found).flatMap((parameter) => {
    const data = parameterData(context, parameter);
    return data ? [data] : [];
  });
  if (all.length > MAX_PARAMETERS) {
    context.warn(
      `“Try it” shows the first ${MAX_PARAMETERS} of ${all.length} parameters.`,
      toPointer(['paths', found.path, found.method.toLowerCase(), 'parameters']),
    );
  }
  return all.slice(0, MAX_PARAMETERS);
}

const PLACES: readonly unknown[] = [
  'path',
  'query',
  'querystring',
  'header',
  'cookie',
] satisfies ParameterLocation[];

function parameterData(context: ReferenceContext, parameter: Parameter): ParameterData | undefined {
  const { name, in: given } = parameter;
  if (!PLACES.includes(given) || (given === 'header' && IGNORED_HEADERS.test(name)))
    return undefined;
  const [media] = mediaOf(context, parameter.content);
  const schema = media ? media[1].schema : parameter.schema;
  const shape = schema === undefined ? undefined : schemaData(context.document, schema);
  const example = exampleOf(context, parameter) ?? (media && exampleOf(context, media[1]));
  const text = parameterText(media, shape, example);
  const description = truncate(
    context.descriptions.plain(prefix(textOf(parameter.description), 4 * MAX_DESCRIPTION)),
    MAX_DESCRIPTION,
  );
  return {
    name,
    in: given as ParameterLocation,
    ...(media
      ? { contentType: media[0] }
      : serializationOf(parameter, defaultStyle(given as ParameterLocation))),
    ...((parameter.required === true || given === 'path') && { required: true }),
    ...(parameter.deprecated === true && { deprecated: true }),
    ...(parameter.allowEmptyValue === true && given === 'query' && { allowEmptyValue: true }),
    ...(shape && { schema: shape }),
    ...(text !== undefined && text.length <= MAX_EXAMPLE && { example: text }),
    ...(description !== '' && { description }),
  };
}

/** An example of a parameter as it is entered: one whose media type is that of forms is sent as it is. */
function parameterText(
  media: readonly [type: string, media: Record<string, unknown>] | undefined,
  shape: SchemaData | undefined,
  example: unknown,
): string | undefined {
  if (example === undefined) return undefined;
  if (media && isUrlencoded(media[0]) && isObject(example)) {
    return exampleText(media[0], example, media[1]).text;
  }
  return enteredText(shape, example);
}

const STYLES: readonly unknown[] = [
  'simple',
  'label',
  'matrix',
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
  'cookie',
] satisfies ParameterStyle[];

function serializationOf(
  { style, explode, allowReserved }: Record<string, unknown>,
  usual: ParameterStyle | undefined,
): Serialization {
  const own = STYLES.includes(style) && style !== usual ? (style as ParameterStyle) : undefined;
  const effective = own ?? usual ?? 'form';
  const exploded = isExploded({ style: effective });
  return {
    ...(own && { style: own }),
    ...(typeof explode === 'boolean' && explode !== exploded && { explode }),
    ...(allowReserved === true && { allowReserved }),
  };
}

/** The first of the examples that the document has. */
function exampleOf(context: ReferenceContext, holder: Record<string, unknown>): unknown {
  if (holder.example !== undefined) return holder.example;
  const [first] = isObject(holder.examples) ? Object.values(holder.examples) : [];
  const example = resolveReference(context.document, first);
  if (isObject(example)) return example.dataValue ?? example.value ?? example.serializedValue;
  const schema = resolveReference(context.document, holder.schema);
  if (!isObject(schema)) return undefined;
  return schema.example ?? listOf(schema.examples)[0];
}

function bodyOf(
  context: ReferenceContext,
  { operation, path, method }: FoundOperation,
): BodyData | undefined {
  const body = resolveReference(context.document, operation.requestBody);
  if (!isObject(body)) return undefined;
  const location = ['paths', path, method.toLowerCase(), 'requestBody'];
  const all = mediaOf(context, body.content);
  if (all.length > MAX_MEDIA_TYPES) {
    context.warn(
      `“Try it” offers the first ${MAX_MEDIA_TYPES} of ${all.length} media types.`,
      toPointer(location),
    );
  }
  const room = { letters: MAX_OTHER_EXAMPLES };
  const content = all
    .slice(0, MAX_MEDIA_TYPES)
    .map(([type, media]) =>
      mediaData(context, type, media, toPointer([...location, 'content', type]), room),
    );
  return content.length === 0
    ? undefined
    : { ...(body.required === true && { required: true }), content };
}

function mediaData(
  context: ReferenceContext,
  type: string,
  media: Record<string, unknown>,
  place: string,
  room: Room,
): MediaData {
  const hasForm = isJson(type) || isUrlencoded(type) || isMultipart(type);
  const example = bodyExample(context, type, media, place);
  const examples = bodyExamples(context, type, media, place);
  const encoding = Object.entries(isObject(media.encoding) ? media.encoding : {})
    .slice(0, MAX_ENCODINGS)
    .flatMap(([name, value]) => encodingData(name, value));
  return {
    type,
    ...(example !== undefined && example.length <= MAX_EXAMPLE && { example }),
    ...(examples.length > 1 && { examples: namedExamples(examples, room) }),
    ...(hasForm &&
      media.schema !== undefined && { schema: schemaData(context.document, media.schema) }),
    ...(encoding.length > 0 && { encoding }),
  };
}

/** How many letters examples may still have. */
interface Room {
  letters: number;
}

/** Examples without the text of the first, which is said already, and of those for which there is no room. */
function namedExamples(examples: readonly ExampleData[], room: Room): ExampleData[] {
  return examples.map(({ name, text }, at): ExampleData => {
    if (at === 0 || text === undefined || text.length > room.letters) return { name };
    room.letters -= text.length;
    return { name, text };
  });
}

function encodingData(name: string, value: unknown): EncodingData[] {
  if (!isObject(value)) return [];
  const contentType = textOf(value.contentType);
  const serialization = serializationOf(value, undefined);
  // OpenAPI 3.1.1, “Encoding Object”: the media type is ignored where a style is said.
  const isStyled = Object.keys(serialization).length > 0;
  if (!isStyled && contentType === '') return [];
  return [{ name, ...serialization, ...(contentType && !isStyled && { contentType }) }];
}

const MAX_ACCEPTED = 5;

function acceptOf({ document }: ReferenceContext, operation: Record<string, unknown>): string {
  const responses = isObject(operation.responses) ? operation.responses : {};
  const status = Object.keys(responses).find((one) => /^2/.test(one)) ?? 'default';
  const response = resolveReference(
    document,
    Object.hasOwn(responses, status) && responses[status],
  );
  const content = isObject(response) && isObject(response.content) ? response.content : {};
  return Object.keys(content).filter(isMediaType).slice(0, MAX_ACCEPTED).join(', ');
}

/** Nothing else may stand in a header. */
const isMediaType = (text: string) => /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+(?:\s*;[ -~]*)?$/.test(text);

function mediaOf(
  { document }: ReferenceContext,
  content: unknown,
): (readonly [type: string, media: Record<string, unknown>])[] {
  return Object.entries(isObject(content) ? content : {}).flatMap(([type, value]) => {
    const media = resolveReference(document, value);
    return isObject(media) && isMediaType(type) ? [[type, media] as const] : [];
  });
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
