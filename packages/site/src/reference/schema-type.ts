import { type Html, html } from '@petstore/http/html.ts';
import { prefix } from '@petstore/service/text.ts';
import { isObject, textOf } from '../openapi/openapi-types.ts';
import { isText } from '../request/media-types.ts';
import { wordBreaks } from '../site/word-breaks.ts';
import { modelLink, type Page } from './page-parts.ts';
import { keyword, type Shape, shapeOf } from './shape.ts';

/** How deep lists of lists are named, and how many alternatives. */
const MAX_DEPTH = 4;
const MAX_NAMED = 3;

const MAX_FORMAT = 40;

/** The type of a schema in words: `string`, `array of Pet`, `map of integer or null`. Models are links. */
export function typeHtml({ context, place }: Page, shape: Shape): Html {
  return typeWithNull({ context, place, isLinked: true }, shape, 0);
}

/** The same without links, for what is clicked itself. */
export function typeName({ context, place }: Page, shape: Shape): Html {
  return typeWithNull({ context, place, isLinked: false }, shape, 0);
}

interface Style extends Pick<Page, 'context' | 'place'> {
  readonly isLinked: boolean;
}

function typeWithNull(style: Style, shape: Shape, depth: number): Html {
  if (shape.isNever) return html`nothing`;
  const words = typeWords(style, shape, depth);
  return shape.isNullable && words.text !== 'null' ? html`${words} or null` : words;
}

function typeWords(style: Style, shape: Shape, depth: number): Html {
  const { types, model, choices } = shape;
  const named = model !== undefined && style.context.addresses.model(model) !== undefined;
  const link = named ? (style.isLinked ? modelLink(style, model) : wordBreaks(model)) : undefined;
  const isObjectLike = types.length === 0 || (types.length === 1 && types[0] === 'object');
  if (link && isObjectLike) return link;
  const [only] = choices;
  if (types.length <= 1 && isObjectLike && only && shape.properties.size === 0) {
    return choiceWords(
      style,
      only.options.map(({ schema }) => schema),
      depth,
    );
  }
  if (types.length === 0 && isFile(shape)) return html`file`;
  if (types.length === 0) return shape.isNullable ? html`null` : html`any`;
  const words = types.map((type) => typeWord(style, shape, type, depth));
  const text = words.map((word, at) => (at === 0 ? word : html` or ${word}`));
  return link ? html`${text} (${link})` : html`${text}`;
}

/** Bytes, which no type of JSON describes (OpenAPI 3.1.1, “Working with Binary Data”). */
function isFile(shape: Shape): boolean {
  const media = textOf(keyword(shape, 'contentMediaType'));
  const isEncoded = keyword(shape, 'contentEncoding') !== undefined;
  return media !== '' && !isText(media) && !isEncoded;
}

function typeWord(style: Style, shape: Shape, type: string, depth: number): Html {
  if (type === 'array') {
    const items = keyword(shape, 'items');
    if (!isObject(items)) return html`array`;
    if (depth >= MAX_DEPTH) return html`array of ${cut(style)}`;
    return html`array of ${typeWithNull(style, shapeOf(style.context.document, items), depth + 1)}`;
  }
  if (type === 'object') {
    const others = keyword(shape, 'additionalProperties');
    const isMap = shape.properties.size === 0 && isObject(others) && Object.keys(others).length > 0;
    if (!isMap) return html`object`;
    if (depth >= MAX_DEPTH) return html`map of ${cut(style)}`;
    return html`map of ${typeWithNull(style, shapeOf(style.context.document, others), depth + 1)}`;
  }
  const format = textOf(keyword(shape, 'format'));
  if (format === '' || format === type) return html`${type}`;
  return html`${type} <i>${prefix(format, MAX_FORMAT)}</i>`;
}

/** Stands for what lies deeper than a type says. */
function cut({ context, place }: Style): string {
  context.warn(
    `Lists and maps lie more than ${MAX_DEPTH + 1} deep in each other: their type ends with a mark.`,
    place,
  );
  return '…';
}

function choiceWords(style: Style, options: readonly unknown[], depth: number): Html {
  if (options.length > MAX_NAMED || depth >= MAX_DEPTH) return html`one of ${options.length}`;
  const words = options.map((one) =>
    typeWithNull(style, shapeOf(style.context.document, one), depth + 1),
  );
  const all = [...new Map(words.map((word) => [word.text, word])).values()];
  return html`${all.map((word, at) => (at === 0 ? word : html` or ${word}`))}`;
}
