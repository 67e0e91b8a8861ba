import { isObject, textOf } from '../../openapi/openapi-types.ts';
import { resolveReference } from '../../openapi/references.ts';
import type { ReferenceContext } from '../reference-context.ts';

/** An example that the document has. One of `value`, `serialized` and `link` is there. */
export interface OwnExample {
  readonly name: string;
  /** Plain text. */
  readonly summary: string;
  /** Plain text. */
  readonly description: string;
  readonly value?: unknown;
  /** The body as it is sent. */
  readonly serialized?: string;
  /** Where the example is. It is never fetched. */
  readonly link?: string;
}

/** More than a reader compares. */
const MAX_EXAMPLES = 20;

const UNNAMED = { name: '', summary: '', description: '' } as const;

/** The examples of a media type, otherwise those of its schema. */
export function ownExamples(
  context: ReferenceContext,
  media: Record<string, unknown>,
  place: string,
): readonly OwnExample[] {
  const all = isObject(media.examples) ? Object.entries(media.examples) : [];
  if (all.length > MAX_EXAMPLES) {
    context.warn(`The first ${MAX_EXAMPLES} of ${all.length} examples are shown.`, place);
  }
  const named = all
    .slice(0, MAX_EXAMPLES)
    .flatMap(([name, value]) => namedExample(context, name, value));
  if (named.length > 0) return named;
  if (media.example !== undefined) return [{ ...UNNAMED, value: media.example }];
  const schema = resolveReference(context.document, media.schema);
  return isObject(schema) ? schemaExamples(schema) : [];
}

function namedExample(context: ReferenceContext, name: string, given: unknown): OwnExample[] {
  const example = resolveReference(context.document, given);
  if (!isObject(example)) return [];
  const beside = isObject(given) ? textOf(given.summary) : '';
  const about = {
    name,
    summary: context.descriptions.plain(beside || textOf(example.summary)),
    description: context.descriptions.plain(textOf(example.description)),
  };
  const { serializedValue, externalValue } = example;
  // OpenAPI 3.2 says what the data are, and what they look like when they are sent.
  if (typeof serializedValue === 'string') return [{ ...about, serialized: serializedValue }];
  const value = example.dataValue ?? example.value;
  if (value !== undefined) return [{ ...about, value }];
  return typeof externalValue === 'string' ? [{ ...about, link: externalValue }] : [];
}

const MAX_UNNAMED = 5;

function schemaExamples({ example, examples }: Record<string, unknown>): OwnExample[] {
  if (example !== undefined) return [{ ...UNNAMED, value: example }];
  const values = Array.isArray(examples) ? examples.slice(0, MAX_UNNAMED) : [];
  return values.map((value, at) => ({
    ...UNNAMED,
    name: values.length > 1 ? `Example ${at + 1}` : '',
    value,
  }));
}
