import { type Html, html } from '@petstore/http/html.ts';
import { isObject, textOf } from '../openapi/openapi-types.ts';
import { isLongJson } from '../syntax/exact-text.ts';
import { outsideLink, valueCode } from './page-parts.ts';
import { keyword, keywords, type Shape } from './shape.ts';

/** In letters: longer examples of a schema stand beside the page's text alone. */
const MAX_EXAMPLE = 200;
const MAX_EXAMPLES = 3;
const MAX_NAMES = 30;

/**
 * What a schema says of its values besides their type and its allowed values, each in a few words. `own`: examples that
 * stand nearer than those of the schema.
 */
export function factsOf(shape: Shape, own: readonly unknown[] = []): Html[] {
  return [
    ...constants(shape),
    ...exclusiveBounds(shape),
    ...bounds(shape, 'minimum', 'maximum', ''),
    ...bounds(shape, 'minLength', 'maxLength', 'character'),
    ...bounds(shape, 'minItems', 'maxItems', 'item'),
    ...bounds(shape, 'minContains', 'maxContains', 'item', 'that match'),
    ...bounds(shape, 'minProperties', 'maxProperties', 'property'),
    ...simple(shape),
    ...dependencies(shape),
    ...exampleFacts(own.length > 0 ? shortest(own) : shortOnes(schemaExamples(shape))),
    ...docs(shape),
  ];
}

function constants(shape: Shape): Html[] {
  const [constant, usual] = ['const', 'default'].map((name) => keyword(shape, name));
  return [
    ...(constant === undefined ? [] : [html`Always ${valueCode(constant)}`]),
    ...(usual === undefined ? [] : [html`Default ${valueCode(usual)}`]),
  ];
}

function bounds(shape: Shape, low: string, high: string, noun: string, more = ''): Html[] {
  const [least, most] = [low, high].map((name) => keyword(shape, name));
  const units = (value: unknown) => {
    if (noun === '') return '';
    const plural = noun === 'property' ? 'properties' : `${noun}s`;
    return ` ${Number(value) === 1 ? noun : plural}${more ? ` ${more}` : ''}`;
  };
  // Nothing is said by these.
  const isLeast = least !== undefined && !(noun !== '' && Number(least) === 0);
  const isMost = most !== undefined;
  if (isLeast && isMost) {
    return String(least) === String(most)
      ? [html`Exactly ${valueCode(least)}${units(least)}`]
      : [html`${valueCode(least)} to ${valueCode(most)}${units(most)}`];
  }
  if (isLeast) return [html`At least ${valueCode(least)}${units(least)}`];
  return isMost ? [html`At most ${valueCode(most)}${units(most)}`] : [];
}

function exclusiveBounds(shape: Shape): Html[] {
  const [least, most] = ['exclusiveMinimum', 'exclusiveMaximum'].map((name) =>
    keyword(shape, name),
  );
  return [
    ...(least === undefined ? [] : [html`More than ${valueCode(least)}`]),
    ...(most === undefined ? [] : [html`Less than ${valueCode(most)}`]),
  ];
}

/** The media type of a file that may have any. */
const ANY_FILE = 'application/octet-stream';

function simple(shape: Shape): Html[] {
  const has = (name: string, value: unknown) => keywords(shape, name).includes(value);
  const pairs: [string, string][] = [
    ['multipleOf', 'A multiple of'],
    ['pattern', 'Pattern'],
    ['contentMediaType', 'Contains'],
    ['contentEncoding', 'Encoded as'],
  ];
  const missing = keywords(shape, 'required')
    .flatMap((names) => (Array.isArray(names) ? names : []))
    .filter((name) => typeof name === 'string' && !shape.properties.has(name))
    .slice(0, MAX_NAMES);
  return [
    ...pairs.flatMap(([name, words]) =>
      keywords(shape, name)
        .filter((value) => value !== ANY_FILE)
        .map((value) => html`${words} ${valueCode(value)}`),
    ),
    ...(missing.length > 0
      ? [html`Needs ${missing.map((name, at) => html`${at > 0 ? ', ' : ''}${valueCode(name)}`)}`]
      : []),
    ...(has('uniqueItems', true) ? [html`No item twice`] : []),
    ...(has('additionalProperties', false) || has('unevaluatedProperties', false)
      ? [html`No other properties`]
      : []),
    ...(has('additionalProperties', true) && shape.properties.size > 0
      ? [html`Any other properties`]
      : []),
    ...(has('items', false) || has('unevaluatedItems', false) ? [html`No other items`] : []),
  ];
}

/** How a value is written in XML, where that is not as its name says. */
export function xmlFacts(shape: Shape): Html[] {
  const given = keyword(shape, 'xml');
  if (!isObject(given)) return [];
  const name = textOf(given.name);
  const prefixed = textOf(given.prefix) === '' ? name : `${textOf(given.prefix)}:${name}`;
  const node = xmlNode(given);
  const isNamed = node.hasName && name !== '';
  return [
    ...(isNamed || node.isSaid
      ? [html`${node.words}${isNamed ? html` ${valueCode(prefixed)}` : ''}`]
      : []),
    ...(given.wrapped === true ? [html`Wrapped in XML`] : []),
    ...(textOf(given.namespace) === '' ? [] : [html`XML namespace ${valueCode(given.namespace)}`]),
  ];
}

/** What a value is in XML, and whether that needs to be said without a name, too. */
export function xmlNode({ attribute, nodeType }: Record<string, unknown>): {
  readonly words: string;
  readonly hasName: boolean;
  readonly isSaid: boolean;
} {
  const own = XML_NODES.get(nodeType);
  if (own !== undefined) return { ...own, isSaid: true };
  return attribute === true
    ? { words: 'XML attribute', hasName: true, isSaid: true }
    : { words: 'XML element', hasName: true, isSaid: false };
}

/** OpenAPI 3.2.0, “XML Node Types”. */
const XML_NODES: ReadonlyMap<unknown, { readonly words: string; readonly hasName: boolean }> =
  new Map([
    ['element', { words: 'XML element', hasName: true }],
    ['attribute', { words: 'XML attribute', hasName: true }],
    ['text', { words: 'XML text', hasName: false }],
    ['cdata', { words: 'XML CDATA section', hasName: false }],
    ['none', { words: 'No XML element of its own', hasName: false }],
  ]);

function dependencies(shape: Shape): Html[] {
  const given = keyword(shape, 'dependentRequired');
  return Object.entries(isObject(given) ? given : {})
    .slice(0, MAX_NAMES)
    .map(([name, needed]) => {
      const names = (Array.isArray(needed) ? needed : []).slice(0, MAX_NAMES);
      return html`With ${valueCode(name)} also ${names.map((one, at) => html`${at > 0 ? ', ' : ''}${valueCode(one)}`)}`;
    });
}

/** The examples of a schema itself. */
export function schemaExamples(shape: Shape): unknown[] {
  const listed = keyword(shape, 'examples');
  const all = [keyword(shape, 'example'), ...(Array.isArray(listed) ? listed : [])];
  return all.filter((value) => value !== undefined);
}

const shortOnes = (values: readonly unknown[]) =>
  values.filter((value) => !isLongJson(value, MAX_EXAMPLE));

/** The short ones; where there are none the first one, whose beginning is shown. */
function shortest(values: readonly unknown[]): readonly unknown[] {
  const short = shortOnes(values);
  return short.length > 0 ? short : values.slice(0, 1);
}

function exampleFacts(values: readonly unknown[]): Html[] {
  const short = values.slice(0, MAX_EXAMPLES);
  if (short.length === 0) return [];
  const codes = [
    ...new Map(short.map((value) => valueCode(value)).map((one) => [one.text, one])).values(),
  ];
  return [
    html`${codes.length > 1 ? 'Examples' : 'Example'} ${codes.map((code, at) => html`${at > 0 ? ', ' : ''}${code}`)}`,
  ];
}

function docs(shape: Shape): Html[] {
  const given = keyword(shape, 'externalDocs');
  if (!isObject(given) || textOf(given.url) === '') return [];
  return [outsideLink(textOf(given.url), textOf(given.description) || 'More about it')];
}
