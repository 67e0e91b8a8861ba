import { isObject, type OpenApiDocument, textOf } from '../openapi/openapi-types.ts';
import type { Page } from './page-parts.ts';
import { type Choices, isMarked, keyword, keywords, type Shape, shapeOf } from './shape.ts';

/** What a schema is shown for: readers neither send what is read-only nor receive what is write-only. */
export type Purpose = 'request' | 'response' | 'model';

/** A schema with as many of its members as are shown. */
export interface SchemaNode {
  readonly shape: Shape;
  /** The items of a list, of a list of lists and so on; the schema itself where it is no list. */
  readonly element: Shape;
  readonly level: number;
  /** The names of the properties around it. */
  readonly path: readonly string[];
  /** The nearest model around it whose page has more of it than this one. */
  readonly home: string | undefined;
  /** The schemas around it. */
  readonly around: readonly object[];
  rows: readonly Row[];
  choices: readonly {
    readonly choices: Choices;
    readonly options: readonly Row[];
    readonly more: number;
  }[];
  /** How many more properties there are. */
  more: number;
  cut: Cut | undefined;
}

/** Why members are not shown: the model's page has them, they contain themselves, or there are too many. */
type Cut = 'model' | 'recursive' | 'deep' | 'large';

export interface Row {
  readonly kind: 'property' | 'pattern' | 'other' | 'part' | 'option';
  /** A property's name, a pattern; words for a part; empty for an option. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly node: SchemaNode;
  /** Of an option: the value that means it. */
  readonly value?: string | undefined;
  /** Of an option: it is meant where no value means another. */
  readonly isDefault?: boolean | undefined;
}

/** How deep members are shown, and down to which level those of large models. */
const MAX_LEVELS = 7;
const MAX_MODEL_LEVEL = 1;

/** In letters: a model up to this size is shown wherever it stands. */
const SMALL_MODEL = 1_800;

/** How many properties of one schema are shown, and how many alternatives of one choice. */
const MAX_ROWS = 250;
const MAX_OPTIONS = 50;

/** How deep lists of lists are looked through. */
const MAX_LISTS = 5;

/** About how many letters of HTML a member has besides its description. */
const ROW_LETTERS = 260;
const VALUE_LETTERS = 25;

/** How many properties of a schema are looked at. */
const MAX_LOOKS = 1_000;

const MAX_COUNTED_VALUES = 40;

/**
 * The members of a schema, those of one level before those of the next, until the page has no more room. The first level
 * is always shown.
 */
export function schemaTree(
  page: Page,
  given: unknown,
  purpose: Purpose,
  path: readonly string[] = [],
): SchemaNode {
  const { document, addresses } = page.context;
  const expanded = new Set<object>();
  const waiting: SchemaNode[] = [];

  const node = (schema: unknown, around: SchemaNode | undefined, name?: string): SchemaNode => {
    const shape = shapeOf(document, schema);
    const made: SchemaNode = {
      shape,
      element: elementOf(shape),
      level: around ? around.level + 1 : 0,
      path: around ? (name === undefined ? around.path : [...around.path, name]) : path,
      home: around && (pageOf(around.element) ?? around.home),
      around: around ? [...around.around, around.element.source] : [],
      rows: [],
      choices: [],
      more: 0,
      cut: undefined,
    };
    if (hasMembers(made.element)) waiting.push(made);
    return made;
  };

  /** The model that a schema is, where it has a page that is not this one. */
  const pageOf = ({ model }: Shape) =>
    model !== undefined && addresses.model(model) !== undefined && purpose !== 'model'
      ? model
      : undefined;

  const elementOf = (shape: Shape): Shape => {
    let element = shape;
    for (let left = MAX_LISTS; left > 0 && isList(element); left -= 1) {
      const items = keyword(element, 'items');
      if (!isObject(items)) break;
      element = shapeOf(document, items);
    }
    return element;
  };

  const reasonToCut = ({ element, level, around }: SchemaNode): Cut | undefined => {
    if (around.includes(element.source)) return 'recursive';
    if (level === 0) return undefined;
    const hasPage = element.model !== undefined && addresses.model(element.model) !== undefined;
    const isSmall = () => lettersOf(element) < SMALL_MODEL;
    const isAgain = expanded.has(element.source);
    // Leaves room for what no other page has.
    const isLarge = () => lettersOf(element) > page.room.left - page.room.kept;
    if (hasPage && !isSmall() && (level > MAX_MODEL_LEVEL || isAgain || isLarge())) return 'model';
    if (level > MAX_LEVELS) return hasPage ? 'model' : 'deep';
    const kept = hasPage || !isSmall() ? page.room.kept : 0;
    if (page.room.left <= kept) return hasPage ? 'model' : 'large';
    return undefined;
  };

  const lettersOf = (shape: Shape): number => {
    const counted = letters.get(shape) ?? countLetters(document, shape);
    letters.set(shape, counted);
    return counted;
  };

  /** Of very many properties the first are looked at, for all operations that show them. */
  const shownProperties = ({ properties }: Shape) => {
    const first = properties.entries().take(MAX_LOOKS).toArray();
    const suited = first.filter(([, { schema }]) => isShown(shapeOf(document, schema), purpose));
    const shown = suited.slice(0, MAX_ROWS);
    return { shown, more: suited.length - shown.length + properties.size - first.length };
  };

  const expand = (parent: SchemaNode) => {
    const { element } = parent;
    expanded.add(element.source);
    page.room.left -= lettersOf(element);
    const { shown, more } = shownProperties(element);
    const row = (kind: Row['kind'], name: string, schema: unknown, isRequired = false): Row => ({
      kind,
      name,
      isRequired,
      node: node(schema, parent, kind === 'property' ? name : undefined),
    });
    parent.more = more;
    parent.rows = [
      ...shown.map(([name, { schema, isRequired }]) => row('property', name, schema, isRequired)),
      ...patternsOf(element).map(([name, schema]) => row('pattern', name, schema)),
      ...othersOf(element).map(([name, schema]) => row('other', name, schema)),
      ...partsOf(element).map(([name, schema]) => row('part', name, schema)),
    ];
    parent.choices = element.choices.map((choices) => ({
      choices,
      options: choices.options.slice(0, MAX_OPTIONS).map(({ schema, value, isDefault }) => ({
        ...row('option', '', schema),
        value,
        isDefault,
      })),
      more: Math.max(0, choices.options.length - MAX_OPTIONS),
    }));
  };

  const root = node(given, undefined);
  for (let at = 0; at < waiting.length; at += 1) {
    const next = waiting[at] as SchemaNode;
    next.cut = reasonToCut(next);
    if (next.cut === undefined) expand(next);
  }
  return root;
}

const letters = new WeakMap<Shape, number>();

/** About how many letters the first level of a schema takes. */
function countLetters(document: OpenApiDocument, { properties, choices }: Shape): number {
  let sum = ROW_LETTERS * choices.reduce((all, { options }) => all + options.length, 0);
  for (const { schema } of properties.values()) {
    const property = shapeOf(document, schema);
    const values = Math.min(property.values?.length ?? 0, MAX_COUNTED_VALUES);
    sum += ROW_LETTERS + VALUE_LETTERS * values;
    sum += textOf(keyword(property, 'description')).length;
  }
  return sum;
}

/** Whether a schema is best shown as that of its items. */
const isList = (shape: Shape) =>
  shape.types.every((type) => type === 'array') &&
  keyword(shape, 'items') !== undefined &&
  !hasOtherItems(shape);

const hasOtherItems = (shape: Shape) =>
  tupleOf(shape) !== undefined || keyword(shape, 'contains') !== undefined;

/** The schemas of the first items, each its own. Until JSON Schema 2019-09 they stood in `items`. */
function tupleOf(shape: Shape): readonly unknown[] | undefined {
  const [first, items] = ['prefixItems', 'items'].map((name) => keyword(shape, name));
  return [first, items].find(Array.isArray);
}

function isShown(shape: Shape, purpose: Purpose): boolean {
  if (isMarked(shape, 'x-internal')) return false;
  if (purpose === 'request') return !isMarked(shape, 'readOnly');
  return purpose === 'model' || !isMarked(shape, 'writeOnly');
}

/** Schemas of the rest of a value, by their keywords. */
const PARTS: readonly (readonly [name: string, words: string])[] = [
  ['contains', 'at least one item'],
  ['propertyNames', 'names of properties'],
  ['not', 'not'],
  ['if', 'if'],
  ['then', 'then'],
  ['else', 'else'],
  ['contentSchema', 'content'],
  ['unevaluatedItems', 'other items'],
];

/** The members that are schemas of their own, in words. */
function partsOf(shape: Shape): [string, unknown][] {
  const listed = (tupleOf(shape) ?? []).slice(0, MAX_ROWS);
  const rest = keyword(shape, 'items');
  const dependent = keyword(shape, 'dependentSchemas');
  return [
    ...listed.map((schema, at): [string, unknown] => [`item ${at + 1}`, schema]),
    ...(hasOtherItems(shape) && isObject(rest)
      ? [[listed.length > 0 ? 'other items' : 'each item', rest] as [string, unknown]]
      : []),
    ...PARTS.flatMap(([name, words]) =>
      keywords(shape, name)
        .filter(isObject)
        .map((schema): [string, unknown] => [words, schema]),
    ),
    ...Object.entries(isObject(dependent) ? dependent : {}).map(
      ([name, schema]): [string, unknown] => [`where ${name} is present`, schema],
    ),
  ];
}

function patternsOf(shape: Shape): [string, unknown][] {
  return keywords(shape, 'patternProperties')
    .filter(isObject)
    .flatMap((one) => Object.entries(one))
    .slice(0, MAX_ROWS);
}

/** The schema of properties that have no name in the document, called as the extension of Redocly says. */
function othersOf(shape: Shape): [string, unknown][] {
  const others = keyword(shape, 'additionalProperties') ?? keyword(shape, 'unevaluatedProperties');
  if (!isObject(others) || Object.keys(others).length === 0) return [];
  const name =
    textOf(others['x-additionalPropertiesName']) ||
    textOf(keyword(shape, 'x-additionalPropertiesName'));
  // The type says it: `map of string`.
  const isSaid = Object.keys(others).every((one) => one === 'type' || one === 'format');
  return isSaid && name === '' && shape.properties.size === 0 ? [] : [[name || 'any name', others]];
}

function hasMembers(shape: Shape): boolean {
  return (
    shape.properties.size > 0 ||
    shape.choices.length > 0 ||
    patternsOf(shape).length > 0 ||
    othersOf(shape).length > 0 ||
    partsOf(shape).length > 0
  );
}
