import { truncate } from '@petstore/service/text.ts';
import { markNotes, readMarks } from '../openapi/extension-fields.ts';
import { isObject, textOf } from '../openapi/openapi-types.ts';
import { modelExamples } from '../reference/examples/examples.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { keyword, shapeOf } from '../reference/shape.ts';
import { exampleBlocks } from './content-markdown.ts';
import { linked } from './description-links.ts';
import { closed, externalDocs, joined, literal, pageLink } from './markdown-text.ts';
import { pageBudget, schemaMarkdown } from './schema-markdown.ts';

/** A model as a page of Markdown. Its parts and its example are cut where `room` is used up. */
export function modelMarkdown(
  context: ReferenceContext,
  name: string,
  room = pageBudget(context),
): string {
  const schema = modelOf(context, name);
  const shape = shapeOf(context.document, schema);
  const title = textOf(keyword(shape, 'title')).trim();
  const marks = readMarks(schema);
  return `${joined([
    `# ${literal(name)}`,
    title && title !== name ? literal(title) : '',
    ...markNotes(marks),
    marks.stability ? `Stability: ${marks.stability}` : '',
    schema.deprecated === true && !marks.sunset ? '**Deprecated.**' : '',
    closed(linked(context, textOf(keyword(shape, 'description'))).trim()),
    externalDocs(schema.externalDocs),
    schemaMarkdown(schema, room, false),
    ...exampleBlocks(modelExamples(context, name), room),
  ])}\n`;
}

/** In letters, of a model in the list. */
const MAX_ABOUT = 200;

/** The list of all models. */
export function modelListMarkdown(context: ReferenceContext): string {
  const { addresses, descriptions } = context;
  const items = addresses.models.map((name) => {
    const text = descriptions.plain(textOf(modelOf(context, name).description));
    return pageLink(name, addresses.model(name) ?? addresses.overview, truncate(text, MAX_ABOUT));
  });
  return `${joined(['# Models', items.join('\n')])}\n`;
}

function modelOf({ document: { components } }: ReferenceContext, name: string) {
  const schemas = isObject(components) ? components.schemas : undefined;
  const schema = isObject(schemas) && Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  return isObject(schema) ? schema : {};
}
