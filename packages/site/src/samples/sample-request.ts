import {
  type BodyValue,
  type BuiltRequest,
  buildRequest,
  type FileLike,
  parameterKey,
} from '../request/build-request.ts';
import { curlCommand } from '../request/curl.ts';
import { exampleBody, exampleValues } from '../request/example-values.ts';
import { isFile, isJson, isMultipart, isText, isUrlencoded } from '../request/media-types.ts';
import type { MediaData, OperationData, SchemaData } from '../request/operation-data.ts';
import type { ParameterValue } from '../request/serialize.ts';
import { OWN_ORIGIN } from './languages.ts';

/**
 * The request that code samples show: its examples, words in capitals for what has none, and files for bodies that are
 * none of texts. `origin` is put before addresses of the site itself.
 */
export function sampleRequest(data: OperationData, origin = OWN_ORIGIN): BuiltRequest {
  const values = exampleValues(data);
  const parameters = new Map(values.parameters);
  for (const parameter of data.parameters ?? []) {
    const key = parameterKey(parameter);
    // `{petId}` in a path says more than a word would.
    if (!parameter.required || parameter.in === 'path' || parameters.has(key)) continue;
    parameters.set(key, placeholder(parameter.name, parameter.schema));
  }
  const [media] = data.body?.content ?? [];
  const body = media && sampleBody(media);
  const built = buildRequest(data, { ...values, parameters, ...(body && { body }) });
  const url = /^[a-z][a-z\d+.-]*:/i.test(built.url) ? built.url : `${origin}${slash(built.url)}`;
  return { ...built, url };
}

/** The command that sends an operation's example, for the page as it is built. Browsers make the other languages. */
export function codeSample(data: OperationData): string {
  return curlCommand(sampleRequest(data));
}

const slash = (path: string) => path.replace(/^\/*/, '/');

function placeholder(name: string, schema: SchemaData | undefined): ParameterValue {
  if (schema?.type === 'integer' || schema?.type === 'number') return '1';
  if (schema?.type === 'boolean') return 'true';
  const words = name.replace(/([\p{Ll}\d])(?=\p{Lu})/gu, '$1_').replace(/[^\p{L}\p{N}]+/gu, '_');
  return words.replace(/^_|_$/g, '').toUpperCase() || 'VALUE';
}

function sampleBody(media: MediaData): BodyValue {
  const { type, schema } = media;
  const body = exampleBody(media);
  if (body === undefined) return { type, file: fileOf(type) };
  if (!('fields' in body) || !isMultipart(type)) return body;
  const fields = body.fields.map((field) => {
    const property = schema?.properties?.find(({ name }) => name === field.name)?.schema;
    // Of a list of files one is enough.
    const file = [property, property?.items].find((one) => one !== undefined && isFile(one));
    return file === undefined ? field : { name: field.name, value: fileOf(file.media ?? '') };
  });
  return { type, fields };
}

/** A file in the reader's folder. */
function fileOf(type: string): FileLike {
  const [, subtype = ''] = /^[^/;]+\/(?:[^;+]*\+)?([\w-]+)\s*(?:;|$)/.exec(type) ?? [];
  const isNamed = /^[a-z\d]{2,5}$/i.test(subtype) && !type.startsWith('text/plain');
  const stem = isText(type) || isUrlencoded(type) ? 'body' : 'file';
  const ending = isJson(type) ? '.json' : isNamed ? `.${subtype.toLowerCase()}` : '';
  return { name: `${stem}${ending}`, type, size: 0 };
}
