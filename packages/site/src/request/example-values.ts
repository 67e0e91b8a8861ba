import type { Credential, FormField, RequestValues } from './build-request.ts';
import { parameterKey } from './build-request.ts';
import { type JsonNode, parseJson, plainText } from './json-text.ts';
import { isMultipart, isUrlencoded } from './media-types.ts';
import type { MediaData, OperationData, ParameterData, SchemaData } from './operation-data.ts';
import type { ParameterValue } from './serialize.ts';

/**
 * The values of a code sample: the examples of the required parameters, the first media type's body, and words in
 * place of credentials.
 */
export function exampleValues(data: OperationData): RequestValues {
  const parameters = new Map<string, ParameterValue>();
  for (const parameter of data.parameters ?? []) {
    const value = parameter.required ? exampleValue(parameter) : undefined;
    if (value !== undefined) parameters.set(parameterKey(parameter), value);
  }
  const [media] = data.body?.content ?? [];
  const body = media && exampleBody(media);
  return { parameters, credentials: placeholders(data), ...(body && { body }) };
}

/** A parameter's example, its default or its first allowed value; undefined where it has none of them. */
function exampleValue({ schema, example, contentType }: ParameterData): ParameterValue | undefined {
  const text = example ?? schema?.default ?? schema?.enum?.[0];
  if (text === undefined) return undefined;
  return contentType === undefined ? enteredValue(schema, text) : text;
}

/** A value out of the text of an example or a default: see `SchemaData.default`. */
function enteredValue(schema: SchemaData | undefined, text: string): ParameterValue {
  const node = schema?.type === 'string' ? undefined : parseJson(text);
  return node === undefined ? text : parameterValue(node);
}

/** What a parameter sends for a JSON value. */
export function parameterValue(node: JsonNode): ParameterValue {
  if (node.kind === 'array') return node.items.map(parameterValue);
  if (node.kind === 'literal') return plainText(node);
  return { members: new Map([...node.members].map(([name, one]) => [name, parameterValue(one)])) };
}

/** The example of a body; undefined where there is none. */
export function exampleBody({ type, example, encoding }: MediaData): RequestValues['body'] {
  if (example === undefined) return undefined;
  const node = isMultipart(type) || isUrlencoded(type) ? parseJson(example) : undefined;
  if (node?.kind !== 'object') return { type, text: example };
  const fields = [...node.members].map(([name, member]): FormField => {
    const style = encoding?.find((one) => one.name === name);
    return formField(name, member, style?.style !== undefined || style?.explode !== undefined);
  });
  return { type, fields };
}

/** A field of a form with a JSON value. Objects are sent as JSON, unless their encoding has a style. */
export function formField(name: string, node: JsonNode, isStyled: boolean): FormField {
  if (isStyled || node.kind === 'literal') return { name, value: parameterValue(node) };
  if (node.kind === 'object') return { name, value: plainText(node), isJson: true };
  const isJson = node.items.some(({ kind }) => kind !== 'literal');
  return { name, value: node.items.map(plainText), isJson };
}

/** Words in place of the credentials of the first alternative. */
function placeholders({ security: [first = []] = [], schemes = [] }: OperationData) {
  const credentials = new Map<string, Credential>();
  for (const [name] of first) {
    const scheme = schemes.find((one) => one.name === name);
    const isBasic = scheme?.type === 'http' && scheme.scheme === 'basic';
    if (isBasic) credentials.set(name, { user: 'USER', value: 'PASSWORD' });
    else
      credentials.set(name, { value: scheme?.type === 'apiKey' ? 'YOUR_API_KEY' : 'YOUR_TOKEN' });
  }
  return credentials;
}
