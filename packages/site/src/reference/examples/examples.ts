import { prefix } from '@petstore/service/text.ts';
import { isObject, textOf } from '../../openapi/openapi-types.ts';
import { modelName, resolveReference } from '../../openapi/references.ts';
import { isMultipart, isUrlencoded } from '../../request/media-types.ts';
import { isLongJson, toJson } from '../../syntax/exact-text.ts';
import { toPointer } from '../../syntax/source.ts';
import type { ReferenceContext } from '../reference-context.ts';
import {
  type ExampleLanguage,
  type ExampleText,
  exampleText,
  givenText,
  isBinary,
  isSequence,
  isXml,
} from './example-text.ts';
import { partsInOrder } from './multipart-text.ts';
import { type OwnExample, ownExamples } from './own-examples.ts';
import { MAX_VALUE, sampleOf, xmlOf } from './sample.ts';
import { choicesOf, type Direction, discriminatorValue } from './sample-schema.ts';
import { shortened } from './shortened.ts';

/** A body of a request or a response, or a value of a model. */
export interface Example {
  /** Empty for an only one. */
  readonly name: string;
  /** Plain text; empty for none. */
  readonly summary: string;
  /** Plain text; empty for none. */
  readonly description: string;
  /** Empty for an example of another place. */
  readonly text: string;
  readonly language: ExampleLanguage;
  /** Whether it was made from the schema. */
  readonly isGenerated: boolean;
  /** Whether it is longer than what is shown. */
  readonly isCut: boolean;
  /** The address of an example of another place. */
  readonly link?: string;
}

/** In letters. A longer one is data, and makes a page heavy. */
export const MAX_TEXT = 20_000;

const known = new WeakMap<object, Map<string, readonly Example[]>>();

/**
 * The examples of a media type: the document's own, otherwise some that are made from the schema. Empty where none can
 * be, and for binary ones. They are made once for all operations that share the media type.
 */
export function examplesOf(
  context: ReferenceContext,
  media: Record<string, unknown>,
  type: string,
  direction: Direction,
  place: string,
): readonly Example[] {
  const made = known.get(media) ?? new Map<string, readonly Example[]>();
  known.set(media, made);
  const key = `${direction} ${type}`;
  const found = made.get(key) ?? makeExamples(context, media, type, direction, place);
  made.set(key, found);
  return found;
}

/** Examples of a model, as JSON. What is both read and written is shown as it is read. */
export function modelExamples(context: ReferenceContext, name: string): readonly Example[] {
  const { components } = context.document;
  const schemas = isObject(components) && isObject(components.schemas) ? components.schemas : {};
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (!isObject(schema)) return [];
  const found = ofModels.get(schema);
  if (found !== undefined) return found;
  const place = toPointer(['components', 'schemas', name]);
  const made = makeExamples(context, { schema }, 'application/json', 'response', place);
  ofModels.set(schema, made);
  return made;
}

const ofModels = new WeakMap<object, readonly Example[]>();

/**
 * The body that code samples and forms begin with: its text, of a form the fields as JSON. undefined where there is
 * none that is complete.
 */
export function bodyExample(
  context: ReferenceContext,
  type: string,
  media: Record<string, unknown>,
  place: string,
  direction: Direction = 'request',
): string | undefined {
  // No text is a file, whatever the document has in its place.
  if (isBinary(type)) return undefined;
  if (!isUrlencoded(type) && !isMultipart(type)) {
    const [first] = examplesOf(context, media, type, direction, place);
    return first === undefined || first.isCut || first.link !== undefined ? undefined : first.text;
  }
  const [own] = ownExamples(context, media, place);
  if (own?.serialized !== undefined) return own.serialized;
  const schema = wholeSchema(media, type);
  const value = own?.value ?? sampleOf(context.document, schema, { direction, isSent: true }).value;
  if (typeof value === 'string' || value === undefined) return value;
  if (isMultipart(type) && Array.isArray(value)) return partsInOrder(value, media);
  return safely(() => (isLongJson(value, MAX_TEXT) ? undefined : toJson(value).trim()));
}

function makeExamples(
  context: ReferenceContext,
  media: Record<string, unknown>,
  type: string,
  direction: Direction,
  place: string,
): readonly Example[] {
  const schema = wholeSchema(media, type);
  const shape: MediaShape = { context, media: { ...media, schema }, type, direction };
  const own = ownExamples(context, shape.media, place).flatMap((one) => ownText(shape, one, place));
  if (own.length > 0 || schema === undefined || isBinary(type)) return own;
  const variants = variantsOf(context, schema);
  if (variants.length > 1) {
    const made = variants.flatMap((name, choice) => generated(shape, name, choice));
    if (made.length > 1) return made;
  }
  return generated(shape, '');
}

/** The schema of a whole body, where the document may have that of its items alone. */
function wholeSchema({ schema, itemSchema }: Record<string, unknown>, type: string): unknown {
  if (schema !== undefined || itemSchema === undefined) return schema;
  if (isMultipart(type)) return { type: 'array', items: itemSchema };
  return isSequence(type) ? itemSchema : undefined;
}

interface MediaShape {
  readonly context: ReferenceContext;
  readonly media: Record<string, unknown>;
  readonly type: string;
  readonly direction: Direction;
}

function ownText(
  { context, media, type, direction }: MediaShape,
  { value: given, serialized, link, ...about }: OwnExample,
  place: string,
): Example[] {
  if (link !== undefined) {
    return [{ ...TEXT, ...about, isGenerated: false, isCut: false, link }];
  }
  const value = shortened(given, MAX_VALUE);
  const whole = safely((): ExampleText => {
    if (serialized !== undefined) return givenText(type, serialized);
    if (!isXml(type) || typeof value === 'string') return exampleText(type, value, media);
    const xml = xmlOf(context.document, media.schema ?? {}, value, direction);
    return xml === undefined
      ? exampleText('application/json', value)
      : { text: xml, language: 'xml' };
  });
  if (whole === undefined) return [];
  const { text, isCut } = cut(whole.text);
  if (isCut) {
    context.warn(
      `The example${about.name && ` “${about.name}”`} is longer than ${MAX_TEXT.toLocaleString('en')} characters: it was cut there.`,
      place,
    );
  }
  return [{ ...about, text, language: whole.language, isGenerated: false, isCut }];
}

const TEXT = { text: '', language: 'text' } as const;

function generated(
  { context, media, type, direction }: MediaShape,
  name: string,
  choice?: number,
): Example[] {
  const asXml = isXml(type);
  const sample = sampleOf(context.document, media.schema, {
    direction,
    ...(asXml && { isXml: true }),
    ...(choice !== undefined && { choice }),
  });
  if (sample.value === undefined) return [];
  const made = safely(() =>
    asXml ? givenText(type, String(sample.value)) : exampleText(type, sample.value, media),
  );
  if (made === undefined || made.text.trim() === '') return [];
  const { text, isCut } = cut(made.text);
  const { language } = made;
  const about = { name, summary: '', description: '' };
  return [{ ...about, text, language, isGenerated: true, isCut: isCut || sample.isCut }];
}

/** Alternatives that a reader would look for by name. */
const MAX_VARIANTS = 6;

/** The names of a schema's alternatives, where each has one. */
function variantsOf(context: ReferenceContext, schema: unknown): readonly string[] {
  const found = resolveReference(context.document, schema);
  if (!isObject(found)) return [];
  const names = choicesOf(context.document, found)
    .slice(0, MAX_VARIANTS)
    .map((choice) => {
      const one = resolveReference(context.document, choice);
      const title = isObject(one) ? textOf(one.title) : '';
      const model = isObject(choice) ? modelName(choice.$ref) : undefined;
      const value = discriminatorValue(context.document, found.discriminator, choice);
      return value === undefined ? title || model || '' : String(value);
    });
  return names.every(Boolean) && new Set(names).size === names.length ? names : [];
}

/** A text within the bound, which ends with a line. */
function cut(text: string): { readonly text: string; readonly isCut: boolean } {
  if (text.length <= MAX_TEXT) return { text, isCut: false };
  const start = prefix(text, MAX_TEXT);
  const end = start.lastIndexOf('\n');
  return { text: `${end > MAX_TEXT / 2 ? start.slice(0, end) : start}\n…`, isCut: true };
}

/** Values that are nested too deeply for the stack have no text. */
function safely<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
