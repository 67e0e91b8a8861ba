import { truncate } from '@petstore/service/text.ts';
import { boundaryOf, isMultipart, isUrlencoded } from '../request/media-types.ts';
import type { ExampleData } from '../request/operation-data.ts';
import { isLongJson, toJson } from '../syntax/exact-text.ts';
import { type Example, examplesOf, MAX_TEXT } from './examples/examples.ts';
import { ownExamples } from './examples/own-examples.ts';
import { sampleOf } from './examples/sample.ts';
import type { ReferenceContext } from './reference-context.ts';

const MAX_LABEL = 60;

/** What an example of a body is called. */
export const exampleLabel = ({ summary, name }: Example, type: string): string =>
  truncate(summary || name || type, MAX_LABEL);

/** The examples of a request's body, in the order of the page's tabs: their texts as `MediaData.example`. */
export function bodyExamples(
  context: ReferenceContext,
  type: string,
  media: Record<string, unknown>,
  place: string,
): readonly ExampleData[] {
  const isForm = isUrlencoded(type) || isMultipart(type);
  return examplesOf(context, media, type, 'request', place).map((example, at) => {
    const name = exampleLabel(example, type);
    // A body that is written as it is sent has no fields.
    const hasFields = isForm && boundaryOf(example.text) === undefined;
    const text = hasFields
      ? fieldsText(context, media, place, example, at)
      : example.isCut || example.link !== undefined
        ? undefined
        : example.text;
    return { name, ...(text !== undefined && { text }) };
  });
}

/** The fields of a form as JSON; undefined where they are too many. */
function fieldsText(
  context: ReferenceContext,
  media: Record<string, unknown>,
  place: string,
  { name, isGenerated }: Example,
  choice: number,
): string | undefined {
  const own = isGenerated
    ? undefined
    : ownExamples(context, media, place).find((one) => one.name === name);
  if (own?.serialized !== undefined) return own.serialized;
  const value = isGenerated
    ? sampleOf(context.document, media.schema, { direction: 'request', isSent: true, choice }).value
    : own?.value;
  if (typeof value === 'string' || value === undefined) return value;
  try {
    return isLongJson(value, MAX_TEXT) ? undefined : toJson(value).trim();
  } catch (error) {
    // It is nested too deeply for the stack.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
