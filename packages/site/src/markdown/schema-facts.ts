import { truncate } from '@petstore/service/text.ts';
import { readMarks } from '../openapi/extension-fields.ts';
import { isObject, type OpenApiDocument, textOf } from '../openapi/openapi-types.ts';
import { schemaExamples, xmlNode } from '../reference/schema-facts.ts';
import { keyword, keywords, type Shape, shapeMarks, shapeOf } from '../reference/shape.ts';
import { longDay } from '../syntax/days.ts';
import { isLongJson, toJson } from '../syntax/exact-text.ts';
import { code, inline } from './markdown-text.ts';

const MAX_LEVELS = 5;

/** How many values of an enumeration are listed: as many as on the page, or few where many would take all of its room. */
const MAX_VALUES = 500;
const FEW_VALUES = 50;

/** In letters, of one value. */
const MAX_VALUE = 200;

const MAX_NAMES = 50;
const MAX_EXAMPLES = 3;

/** How many alternatives a type names. */
const MAX_NAMED = 3;

/** `string (date)`, `array of Pet`, `Id (string)`. */
export function typeText(document: OpenApiDocument, shape: Shape): string {
  return typeOf(document, shape, 0);
}

const types = new WeakMap<Shape, string>();

/** It is read once for all uses of a schema. */
function typeOf(document: OpenApiDocument, shape: Shape, depth: number): string {
  const found = types.get(shape) ?? readType(document, shape, depth);
  // What is deep in another one may be cut.
  if (depth === 0) types.set(shape, found);
  return found;
}

function readType(document: OpenApiDocument, shape: Shape, depth: number): string {
  if (shape.isNever) return 'nothing';
  const { model, isNullable } = shape;
  const words = typeWords(document, shape, depth);
  const isObjectOrAny = words === 'object' || words === 'anything' || words === '';
  const named = model === undefined ? words : `${code(model)}${isObjectOrAny ? '' : ` (${words})`}`;
  if (!isNullable) return named;
  return shape.types.length === 0 && named === 'anything' ? 'null' : `${named} or null`;
}

function typeWords(document: OpenApiDocument, shape: Shape, depth: number): string {
  const { types: all, choices, properties, model } = shape;
  const [only] = choices;
  if (only && properties.size === 0 && all.every((type) => type === 'object')) {
    // The alternatives of a model stand on its own page.
    return model === undefined ? choiceWords(document, only.options, depth) : '';
  }
  if (all.length === 0) return 'anything';
  return all.map((type) => typeWord(document, shape, type, depth)).join(' or ');
}

function choiceWords(
  document: OpenApiDocument,
  options: Shape['choices'][number]['options'],
  depth: number,
): string {
  if (options.length > MAX_NAMED || depth >= MAX_LEVELS) return `one of ${options.length}`;
  const words = options.map(({ schema }) => typeOf(document, shapeOf(document, schema), depth + 1));
  return [...new Set(words)].join(' or ');
}

function typeWord(document: OpenApiDocument, shape: Shape, type: string, depth: number): string {
  const inner = (given: unknown) =>
    depth < MAX_LEVELS ? typeOf(document, shapeOf(document, given), depth + 1) : '…';
  const items = keyword(shape, 'items');
  if (type === 'array' && isObject(items)) return `array of ${inner(items)}`;
  const others = keyword(shape, 'additionalProperties');
  const isMap = isObject(others) && Object.keys(others).length > 0 && shape.properties.size === 0;
  if (type === 'object' && isMap) return `map of ${inner(others)}`;
  const format = textOf(keyword(shape, 'format'));
  return format === '' || format === type ? inline(type) : `${inline(type)} (${inline(format)})`;
}

/** The first value counts, as that of what is nearest. */
const CONSTRAINTS = [
  ['minimum', 'at least'],
  ['maximum', 'at most'],
  ['exclusiveMinimum', 'more than'],
  ['exclusiveMaximum', 'less than'],
  ['minLength', 'shortest length'],
  ['maxLength', 'longest length'],
  ['minItems', 'fewest items'],
  ['maxItems', 'most items'],
  ['minContains', 'fewest items that match'],
  ['maxContains', 'most items that match'],
  ['minProperties', 'fewest members'],
  ['maxProperties', 'most members'],
  ['default', 'default'],
  ['const', 'always'],
] as const;

/** Each value counts. */
const ALL_CONSTRAINTS = [
  ['multipleOf', 'a multiple of'],
  ['pattern', 'pattern'],
  ['contentMediaType', 'content'],
  ['contentEncoding', 'encoding'],
] as const;

const FLAGS = [
  ['uniqueItems', true, 'no item twice'],
  ['items', false, 'no other items'],
  ['unevaluatedItems', false, 'no other items'],
  ['additionalProperties', false, 'no other members'],
  ['unevaluatedProperties', false, 'no other members'],
  ['readOnly', true, 'read-only'],
  ['writeOnly', true, 'write-only'],
] as const;

const known = new WeakMap<Shape, readonly string[]>();

/**
 * The other constraints of values, each in a few words. They are read once for all uses of a schema, those with few
 * allowed values each time.
 */
export function constraints(shape: Shape, hasFewValues = false): readonly string[] {
  if (hasFewValues) return readConstraints(shape, FEW_VALUES);
  const found = known.get(shape) ?? readConstraints(shape, MAX_VALUES);
  known.set(shape, found);
  return found;
}

function readConstraints(shape: Shape, mostValues: number): string[] {
  const values = enumText(shape, mostValues);
  const first = CONSTRAINTS.map(([name, words]) => [words, keyword(shape, name)] as const);
  const all = ALL_CONSTRAINTS.flatMap(([name, words]) =>
    keywords(shape, name).map((value) => [words, value] as const),
  );
  return [
    ...(values ? [values] : []),
    ...new Set(
      [...first, ...all]
        .filter(([, value]) => value !== undefined)
        .map(([words, value]) => `${words} ${valueText(value)}`),
    ),
    ...neededNames(shape),
    ...dependencies(shape),
    ...new Set(
      FLAGS.filter(([name, value]) => keywords(shape, name).includes(value)).map(
        ([, , words]) => words,
      ),
    ),
    ...marks(shape),
    ...xmlFacts(shape),
  ];
}

/** The members that a schema requires and does not describe. */
function neededNames(shape: Shape): string[] {
  const names = keywords(shape, 'required')
    .flat()
    .filter((name) => typeof name === 'string')
    .filter((name) => !shape.properties.has(name))
    .slice(0, MAX_NAMES);
  return names.length > 0 ? [`with ${names.map(code).join(', ')}`] : [];
}

function dependencies(shape: Shape): string[] {
  const given = keyword(shape, 'dependentRequired');
  return Object.entries(isObject(given) ? given : {})
    .slice(0, MAX_NAMES)
    .map(([name, needed]) => {
      const names = (Array.isArray(needed) ? needed : []).slice(0, MAX_NAMES).map(valueText);
      return `with ${code(name)} also ${names.join(', ')}`;
    });
}

function marks(shape: Shape): string[] {
  const { stability, sunset } = readMarks(shapeMarks(shape));
  const isOld = keywords(shape, 'deprecated').includes(true);
  return [
    ...(isOld ? ['deprecated'] : []),
    ...(isOld && sunset ? [`removed on ${longDay(sunset)}`] : []),
    ...(stability ? [stability] : []),
  ];
}

/** How a value is written in XML, where that is not as its name says. */
function xmlFacts(shape: Shape): string[] {
  const given = keyword(shape, 'xml');
  if (!isObject(given)) return [];
  const name = [textOf(given.prefix), textOf(given.name)].filter(Boolean).join(':');
  const node = xmlNode(given);
  const isNamed = node.hasName && name !== '';
  return [
    ...(isNamed || node.isSaid ? [`${node.words}${isNamed ? ` ${code(name)}` : ''}`] : []),
    ...(given.wrapped === true ? ['wrapped in XML'] : []),
    ...(textOf(given.namespace) ? [`XML namespace ${code(textOf(given.namespace))}`] : []),
  ];
}

/** The values, each with its name in programs and its meaning, where the document says them. */
function enumText({ values = [] }: Shape, most: number): string {
  if (values.length === 0) return '';
  const shown = values.slice(0, most).map(({ value, name, description }) => {
    const about = [name === String(value) ? '' : name, description]
      .filter(Boolean)
      .map((text) => truncate(inline(text), MAX_VALUE));
    return `${valueText(value)}${about.length > 0 ? ` (${about.join(': ')})` : ''}`;
  });
  const more = values.length - shown.length;
  return `one of ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The examples of a schema itself, the short ones. */
export function exampleFacts(shape: Shape): string[] {
  const usual = keyword(shape, 'default');
  const examples = schemaExamples(shape).filter(
    (value) => value !== usual && !isLongJson(value, MAX_VALUE),
  );
  return exampleFact(examples);
}

/** `for example 1, 2`; nothing where there are none. A long one is cut. */
export function exampleFact(values: readonly unknown[]): string[] {
  const short = values.filter((value) => !isLongJson(value, MAX_VALUE));
  const shown = (short.length > 0 ? short : values.slice(0, 1)).slice(0, MAX_EXAMPLES);
  const texts = new Set(shown.map(valueText));
  return texts.size === 0 ? [] : [`for example ${[...texts].join(', ')}`];
}

/** A value as code. One that is cut ends with a mark. */
function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : toJson(value, 0).trimEnd();
  if (text.length > MAX_VALUE) return `${code(truncate(text, MAX_VALUE))} (cut: ${WHOLE})`;
  return code(text || ' ');
}

/** Where a reader finds what a page leaves out. */
export const WHOLE = 'see the OpenAPI document';

/**
 * What is said of the items of a list, of a list of lists and so on, as one fact; nothing where nothing is. It goes after
 * the facts of the list itself.
 */
export function itemFacts(shape: Shape, element: Shape, hasFewValues = false): string[] {
  if (shape === element) return [];
  const facts = [...constraints(element, hasFewValues), ...exampleFacts(element)];
  return facts.length > 0 ? [`each item: ${facts.join(', ')}`] : [];
}
