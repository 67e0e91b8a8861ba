import { boundaryOf, isMultipart } from './media-types.ts';
import type {
  EncodingData,
  OperationData,
  ParameterData,
  SchemeData,
  ServerData,
} from './operation-data.ts';
import {
  cookieText,
  formEncoded,
  formText,
  headerText,
  type ParameterValue,
  pathText,
  queryText,
} from './serialize.ts';

/** What a reader, or an example, has filled in. What is missing is not sent. */
export interface RequestValues {
  /** Before the path: `https://api.example.com/v1`; by default the first server with its variables' defaults. */
  readonly server?: string;
  /** By `parameterKey`. */
  readonly parameters?: ReadonlyMap<string, ParameterValue>;
  /** By the names of schemes. */
  readonly credentials?: ReadonlyMap<string, Credential>;
  readonly body?: BodyValue;
}

/** A key, a password or a token; `user` where the scheme is `basic`. */
export interface Credential {
  readonly value: string;
  readonly user?: string;
}

/** A body of the media type `type`: its text, a file, or the fields of a form. */
export type BodyValue = { readonly type: string } & (
  | { readonly text: string }
  | { readonly file: FileLike }
  | { readonly fields: readonly FormField[] }
);

/** A `File` of a browser. */
export interface FileLike {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

export interface FormField {
  readonly name: string;
  readonly value: ParameterValue | FileLike;
  /** Whether the texts of `value` are JSON. */
  readonly isJson?: boolean;
  /** The media type of its part, otherwise the one of the encoding. */
  readonly contentType?: string;
}

export interface BuiltRequest {
  readonly method: string;
  /** Without an origin where the server has none. */
  readonly url: string;
  /** In the order of sending; `Content-Type` is missing for `multipart`, whose sender chooses the boundary. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: BuiltBody;
}

export type BuiltBody =
  | { readonly kind: 'text'; readonly type: string; readonly text: string }
  | { readonly kind: 'file'; readonly type: string; readonly file: FileLike }
  | { readonly kind: 'parts'; readonly type: string; readonly parts: readonly BodyPart[] };

/** A part of a `multipart` body. Without `type` it is a plain field of a form. */
export interface BodyPart {
  readonly name: string;
  readonly content: string | FileLike;
  readonly type?: string;
}

/** The name of a parameter among the values: places may share names. */
export const parameterKey = ({ in: place, name }: ParameterData): string => `${place} ${name}`;

/** The request of an operation with these values. */
export function buildRequest(data: OperationData, values: RequestValues = {}): BuiltRequest {
  const { server = data.servers[0] ? serverUrl(data.servers[0]) : '', body } = values;
  const given = (data.parameters ?? []).flatMap((parameter) => {
    const value = values.parameters?.get(parameterKey(parameter));
    return value === undefined ? [] : [{ parameter, value }];
  });
  const of = (...places: string[]) =>
    given.filter(({ parameter }) => places.includes(parameter.in));
  const proofs = credentialParts(data, values.credentials ?? new Map());
  const built = body && builtBody(data, body);

  const path = of('path').reduce(
    (text, { parameter, value }) =>
      text.replaceAll(`{${parameter.name}}`, () => pathText(parameter, value)),
    data.path.replace(/#.*$/s, ''),
  );
  const query = [
    ...of('query', 'querystring').map(({ parameter, value }) => queryText(parameter, value)),
    ...proofs.query,
  ].filter((text) => text !== '');
  const cookies = [
    ...of('cookie').map(({ parameter, value }) => cookieText(parameter, value)),
    ...proofs.cookies,
  ].filter((text) => text !== '');
  const headers: [string, string][] = [
    ...(data.accept === undefined ? [] : [['Accept', data.accept] as [string, string]]),
    ...(built && built.kind !== 'parts' ? [['Content-Type', built.type] as [string, string]] : []),
    ...proofs.headers,
    ...of('header').map(({ parameter, value }): [string, string] => [
      parameter.name,
      headerText(parameter, value),
    ]),
    ...(cookies.length > 0 ? [['Cookie', cookies.join('; ')] as [string, string]] : []),
  ];
  const address = `${server.replace(/\/+$/, '')}${path}`;
  const url =
    query.length > 0 ? `${address}${address.includes('?') ? '&' : '?'}${query.join('&')}` : address;
  return { method: data.method, url, headers, ...(built && { body: built }) };
}

/** A server's address with its variables: those of `values`, otherwise their defaults. */
export function serverUrl(
  { url, variables = [] }: ServerData,
  values: ReadonlyMap<string, string> = new Map(),
): string {
  return variables.reduce(
    (text, variable) =>
      text.replaceAll(`{${variable.name}}`, () => values.get(variable.name) ?? variable.default),
    url,
  );
}

interface CredentialParts {
  readonly headers: readonly [string, string][];
  readonly query: readonly string[];
  readonly cookies: readonly string[];
}

function credentialParts(
  { schemes = [] }: OperationData,
  credentials: ReadonlyMap<string, Credential>,
): CredentialParts {
  const headers: [string, string][] = [];
  const query: string[] = [];
  const cookies: string[] = [];
  for (const scheme of schemes) {
    const credential = credentials.get(scheme.name);
    if (credential === undefined || scheme.type === 'mutualTLS') continue;
    const { key = '', in: place } = scheme;
    if (scheme.type !== 'apiKey')
      headers.push(['Authorization', authorization(scheme, credential)]);
    else if (place === 'header') headers.push([key, credential.value]);
    else {
      const parameter = { name: key, in: 'query' } as const;
      (place === 'query' ? query : cookies).push(queryText(parameter, credential.value));
    }
  }
  return { headers, query, cookies };
}

/** RFC 7617 and RFC 6750. */
function authorization(
  { type, scheme = 'bearer' }: SchemeData,
  { value, user = '' }: Credential,
): string {
  if (type === 'http' && scheme === 'basic') return `Basic ${base64(`${user}:${value}`)}`;
  if (type !== 'http' || scheme === 'bearer') return `Bearer ${value}`;
  return `${scheme} ${value}`;
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function builtBody({ body }: OperationData, value: BodyValue): BuiltBody {
  const { type } = value;
  if ('text' in value) return { kind: 'text', ...builtText(type, value.text) };
  if ('file' in value) return { kind: 'file', type, file: value.file };
  const media = body?.content.find((one) => one.type === type);
  const encodingOf = (name: string) => media?.encoding?.find((one) => one.name === name);
  if (isMultipart(type)) {
    const parts = value.fields.flatMap((field) => bodyParts(field, encodingOf(field.name)));
    return { kind: 'parts', type, parts };
  }
  const texts = value.fields.map((field) => {
    if (isFile(field.value)) return '';
    const { contentType, ...encoding } = encodingOf(field.name) ?? { name: field.name };
    return formText(encoding, field.value, formEncoded);
  });
  return { kind: 'text', type, text: texts.filter((text) => text !== '').join('&') };
}

/** A text with its media type. That of a `multipart` body names the boundary, and its lines end as RFC 2046 wants it. */
function builtText(type: string, text: string): { type: string; text: string } {
  const boundary = isMultipart(type) ? boundaryOf(text) : undefined;
  if (boundary === undefined) return { type, text };
  const named = /;\s*boundary=/i.test(type) ? type : `${type}; boundary="${boundary}"`;
  return { type: named, text: text.trimEnd().replace(/\r?\n/g, '\r\n') };
}

/** OpenAPI 3.1.1, “Encoding Object”: a list has a part for each item; JSON says that it is, text need not. */
function bodyParts(
  { name, value, isJson, contentType }: FormField,
  encoding?: EncodingData,
): BodyPart[] {
  const type =
    (contentType ?? encoding?.contentType)?.split(',')[0]?.trim() ??
    (isJson ? 'application/json' : undefined);
  const part = (content: string | FileLike): BodyPart => ({
    name,
    content,
    ...(type && !type.includes('*') && { type }),
  });
  if (isFile(value) || typeof value === 'string') return [part(value)];
  if ('members' in value) {
    return [...value.members].map(([key, text]) => ({ name: key, content: String(text) }));
  }
  return value.map((item) => part(isFile(item) ? item : String(item)));
}

const isFile = (value: object | string): value is FileLike =>
  typeof value === 'object' && 'size' in value && 'name' in value;
