// How values of parameters become text: OpenAPI 3.1.1, “Parameter Object”, and RFC 6570, on which it builds.

import type { ParameterData, ParameterStyle, Serialization } from './operation-data.ts';

/**
 * A value as it was entered: a text (a number as its digits), a list, or the members of an object. Styles other than
 * `deepObject` know one level alone.
 */
export type ParameterValue =
  | string
  | readonly ParameterValue[]
  | { readonly members: ReadonlyMap<string, ParameterValue> };

type Pair = readonly [name: string, value: string];
type Encode = (text: string) => string;

/** The style of a parameter that says nothing of it. */
export function defaultStyle(place: ParameterData['in']): ParameterStyle {
  return place === 'query' || place === 'cookie' ? 'form' : 'simple';
}

/** Whether a value is split into its parts: the default of `form` and `cookie`, and all that `deepObject` can do. */
export function isExploded({ style, explode }: Serialization): boolean {
  return explode ?? (style === undefined || /^(?:form|cookie|deepObject)$/.test(style));
}

/** The text that stands for the parameter in a path; with `label` and `matrix` it begins with `.` and `;`. */
export function pathText(parameter: ParameterData, value: ParameterValue): string {
  const { name, style = 'simple', explode = false, contentType } = parameter;
  const encode = parameter.allowReserved ? reservedEncoder(/[?#[\]]/) : percentEncoded;
  if (contentType !== undefined) return encode(plain(value));
  if (isUndefined(value)) return '';
  if (style === 'label') return `.${joined(value, explode, explode ? '.' : ',', encode)}`;
  if (style !== 'matrix') return joined(value, explode, ',', encode);
  const named = (key: string, text: string) => (text === '' ? `;${key}` : `;${key}=${text}`);
  if (!explode || typeof value === 'string') {
    return named(encode(name), joined(value, false, ',', encode));
  }
  return pairs(name, value)
    .map(([key, text]) => named(encode(key), encode(text)))
    .join('');
}

/** The part of a query that is this parameter, without `?` and `&` around it; empty where there is nothing to send. */
export function queryText(parameter: ParameterData, value: ParameterValue): string {
  if (parameter.in === 'querystring')
    return parameter.contentType?.includes('urlencoded')
      ? plain(value)
      : percentEncoded(plain(value));
  return formText(parameter, value, percentEncoded);
}

/** A parameter of a query, or a field of a form whose texts are encoded by `encodeText`. */
export function formText(
  parameter: Serialization & { readonly name: string; readonly contentType?: string },
  value: ParameterValue,
  encodeText: Encode,
): string {
  const { name, style = 'form', contentType } = parameter;
  // What RFC 6570 lets through, except for what would end the value or mean a space (OpenAPI 3.1.1, `allowReserved`).
  const encode = parameter.allowReserved ? reservedEncoder(/[#[\]&+]/) : encodeText;
  if (contentType !== undefined) return `${encodeText(name)}=${encode(plain(value))}`;
  if (isUndefined(value)) return '';
  if (style === 'deepObject') {
    return deepPairs(encodeText(name), value, encodeText)
      .map(([key, text]) => `${key}=${encode(text)}`)
      .join('&');
  }
  if (isExploded(parameter)) {
    return pairs(name, value)
      .map(([key, text]) => `${encodeText(key)}=${encode(text)}`)
      .join('&');
  }
  const delimiter = DELIMITERS.get(style) ?? ',';
  return `${encodeText(name)}=${joined(value, false, delimiter, encode)}`;
}

/** Between the items of a list. Neither a space nor a bar may stand in an address as it is. */
const DELIMITERS: ReadonlyMap<string, string> = new Map([
  ['spaceDelimited', '%20'],
  ['pipeDelimited', '%7C'],
]);

/** The value of a header, which is not percent-encoded (OpenAPI 3.1.1, appendix D). */
export function headerText(parameter: ParameterData, value: ParameterValue): string {
  const { explode = false, contentType } = parameter;
  // A line break would end the header.
  const text = contentType === undefined ? joined(value, explode, ',', same) : plain(value);
  return text.replace(/[\r\n]+\s*/g, ' ').trim();
}

/** The cookies of a parameter, as in the header `Cookie`. Style `cookie` sends them as they are. */
export function cookieText(parameter: ParameterData, value: ParameterValue): string {
  const { name, style = 'form', contentType } = parameter;
  const encode = style === 'cookie' ? same : percentEncoded;
  if (contentType !== undefined) return `${name}=${encode(plain(value))}`;
  if (isUndefined(value)) return '';
  if (!isExploded(parameter)) return `${name}=${joined(value, false, ',', encode)}`;
  return pairs(name, value)
    .map(([key, text]) => `${key}=${encode(text)}`)
    .join('; ');
}

/** Percent-encodes all but the unreserved characters of RFC 3986, section 2.3. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, percent);
}

/** As a form in a body: a space is `+`. */
export function formEncoded(text: string): string {
  return percentEncoded(text).replaceAll('%20', '+');
}

/** RFC 6570, section 3.2.3: reserved characters and percent-encoded triples stay as they are, except for `not`. */
function reservedEncoder(not: RegExp): Encode {
  return (text) =>
    text.replace(/%[\da-f]{2}|[:/?#[\]@!$&'()*+,;=]|[^%:/?#[\]@!$&'()*+,;=]+|%/gi, (part) =>
      not.test(part) && part.length === 1
        ? percent(part)
        : /^(?:%..|[:/?#[\]@!$&'()*+,;=])$/s.test(part)
          ? part
          : percentEncoded(part),
    );
}

const percent = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

const same: Encode = (text) => text;

/** RFC 6570, section 2.3: a list or an object without members is as good as none. */
function isUndefined(value: ParameterValue): boolean {
  if (typeof value === 'string') return false;
  return 'members' in value ? value.members.size === 0 : value.length === 0;
}

/** All of a value in one text: `R,100,G,200` or, exploded, `R=100,G=200`. */
function joined(
  value: ParameterValue,
  explode: boolean,
  delimiter: string,
  encode: Encode,
): string {
  if (typeof value === 'string') return encode(value);
  const texts =
    'members' in value
      ? [...value.members].map(([key, text]) =>
          [key, plain(text)].map(encode).join(explode ? '=' : delimiter),
        )
      : value.map((item) => encode(plain(item)));
  return texts.join(delimiter);
}

/** The names and values of an exploded value. */
function pairs(name: string, value: ParameterValue): Pair[] {
  if (typeof value === 'string') return [[name, value]];
  if ('members' in value) return [...value.members].map(([key, text]) => [key, plain(text)]);
  return value.map((item) => [name, plain(item)]);
}

/**
 * `color%5BR%5D`. OpenAPI leaves open what becomes of lists and objects in an object: they get more brackets, a list
 * with the places of its items, which PHP, Rack and `qs` all read.
 */
function deepPairs(key: string, value: ParameterValue, encodeText: Encode): Pair[] {
  if (typeof value === 'string') return [[key, value]];
  const members =
    'members' in value
      ? [...value.members]
      : value.map((item, at): [string, ParameterValue] => [String(at), item]);
  return members.flatMap(([name, member]) =>
    deepPairs(`${key}${encodeText(`[${name}]`)}`, member, encodeText),
  );
}

/** A value inside of another, where the style has no form for it. */
function plain(value: ParameterValue): string {
  if (typeof value === 'string') return value;
  const parts = 'members' in value ? [...value.members].flat() : value;
  return parts.map(plain).join(',');
}
