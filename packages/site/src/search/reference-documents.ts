import { prefix, truncate } from '@petstore/service/text.ts';
import { isObject, type OperationSummary, textOf } from '../openapi/openapi-types.ts';
import { type FoundOperation, findOperations } from '../openapi/operations.ts';
import { type Parameter, parametersOf } from '../openapi/parameters.ts';
import { resolveReference } from '../openapi/references.ts';
import type { TagAddress } from '../reference/addresses.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { hrefOf } from '../site/site-files.ts';
import { exampleTexts } from './example-texts.ts';
import { MAX_PLACES } from './format.ts';
import { introductionDocuments } from './introduction-documents.ts';
import { type DescribedPlace, schemaPlaces, valuesOf } from './schema-places.ts';
import { PLAIN_DOCUMENT, type SearchDocument } from './search-document.ts';

/** Readers ask for what they send by its name; of a response or a model, the outer properties lead to the page. */
const BODY_DEPTH = 4;
const MODEL_DEPTH = 2;

/** Some documents have a whole description in a webhook's title. */
const MAX_TITLE = 160;

/** How many letters of a description are shown at most. */
const EXCERPT = 240;

/** How many letters of each description are searched. */
const MAX_DESCRIPTION = 20_000;

/** The pages of a reference as the search finds them: the introduction, tags, operations, models and webhooks. */
export function* referenceDocuments(context: ReferenceContext): Generator<SearchDocument> {
  const { addresses, checked, document } = context;
  const found = new Map<OperationSummary, FoundOperation>();
  for (const [at, one] of [...findOperations(document)].entries()) {
    const summary = checked.operations[at];
    if (summary !== undefined) found.set(summary, one);
  }
  const operationsOf = function* (tag: TagAddress): Generator<SearchDocument> {
    for (const summary of tag.operations) {
      const one = found.get(summary);
      if (one !== undefined) yield operationDocument(context, tag, summary, one);
    }
  };
  yield* introductionDocuments(context);
  for (const tag of addresses.tags) {
    yield tagDocument(context, tag);
    yield* operationsOf(tag);
  }
  for (const name of addresses.models) {
    const path = addresses.model(name);
    if (path !== undefined) yield modelDocument(context, name, path);
  }
  if (addresses.webhooks) yield* operationsOf(addresses.webhooks);
}

/** Of one of several APIs its title: who looks for one of its operations may type it. */
const apiTopic = ({ addresses, title }: ReferenceContext) =>
  addresses.address === undefined ? '' : title;

function tagDocument(context: ReferenceContext, tag: TagAddress): SearchDocument {
  return {
    ...PLAIN_DOCUMENT,
    kind: 'tag',
    title: tag.title,
    href: hrefOf(tag.path),
    context: 'Operations',
    topics: `${tag.name ?? ''} ${apiTopic(context)}`,
    ...described(context, tag.description),
  };
}

function modelDocument(context: ReferenceContext, name: string, path: string): SearchDocument {
  const schemas = isObject(context.document.components) ? context.document.components.schemas : {};
  const value = isObject(schemas) && Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  const schema = resolveReference(context.document, value);
  const { title, description, examples } = isObject(schema) ? schema : {};
  const places = schemaPlaces(context.document, schema, placeOptions(context, '', MODEL_DEPTH));
  const { excerpt, texts } = described(context, textOf(description));
  return {
    ...PLAIN_DOCUMENT,
    kind: 'model',
    title: name,
    href: hrefOf(path),
    context: 'Model',
    topics: `${textOf(title)} ${apiTopic(context)}`,
    excerpt,
    texts: [...texts, ...valuesOf(context.document, schema), ...exampleTexts([examples])],
    places,
  };
}

function operationDocument(
  context: ReferenceContext,
  tag: TagAddress,
  summary: OperationSummary,
  found: FoundOperation,
): SearchDocument {
  const { document } = context;
  const { title, path, method, deprecated, isWebhook, description } = summary;
  const parameters = parametersOf(document, found);
  const body = resolveReference(document, found.operation.requestBody);
  const contents = [mediaTypesOf(body)];
  const options = placeOptions(context, 'body', BODY_DEPTH);
  const places = [
    ...parameters.map((parameter) => parameterPlace(context, parameter)),
    ...mediaTypesOf(body)
      // What a model's page has is found there: a thousand operations respond with the same models.
      .filter(({ schema }) => !(isWebhook && hasModelPage(context, schema)))
      .flatMap(({ schema }) => schemaPlaces(document, schema, options)),
  ];
  for (const [status, response] of responsesOf(context, found)) {
    const media = mediaTypesOf(response);
    const group = placeOptions(context, status, MODEL_DEPTH);
    contents.push(media);
    for (const { schema } of media) {
      if (!hasModelPage(context, schema)) places.push(...schemaPlaces(document, schema, group));
    }
  }
  return {
    kind: isWebhook ? 'webhook' : 'operation',
    title: truncate(title.replace(/\s+/g, ' '), MAX_TITLE),
    href: hrefOf(context.addresses.operation(summary)),
    context: path,
    method,
    isDeprecated: deprecated,
    name: summary.operationId,
    topics: `${method} ${tag.title} ${tag.name ?? ''} ${apiTopic(context)}`,
    excerpt: prefix(description, EXCERPT),
    texts: [
      description.slice(0, MAX_DESCRIPTION),
      ...places.slice(0, MAX_PLACES).map((place) => place.description),
      ...exampleTexts([
        ...parameters.map(({ example }) => example),
        ...contents.flat().map(({ example, examples }) => [example, valuesIn(context, examples)]),
      ]),
    ],
    places: unique(places),
  };
}

function parameterPlace(
  { document }: ReferenceContext,
  { name, in: group, description, schema }: Parameter,
): DescribedPlace {
  const values = valuesOf(document, schema);
  return { group, name, leaf: name, values, description: textOf(description) };
}

function responsesOf({ document }: ReferenceContext, { operation }: FoundOperation) {
  const responses = isObject(operation.responses) ? Object.entries(operation.responses) : [];
  return responses
    .filter(([status]) => !status.startsWith('x-'))
    .map(([status, response]) => [status, resolveReference(document, response)] as const);
}

/** The media types of a body or a response. */
function mediaTypesOf(value: unknown): Record<string, unknown>[] {
  const content = isObject(value) && isObject(value.content) ? value.content : {};
  return Object.values(content).filter(isObject);
}

/** The values of examples by name. */
function valuesIn({ document }: ReferenceContext, examples: unknown): unknown[] {
  return Object.values(isObject(examples) ? examples : {})
    .map((example) => resolveReference(document, example))
    .map((example) => (isObject(example) ? example.value : undefined));
}

const MODEL = /^#\/components\/schemas\/([^/]+)$/;

function hasModelPage({ addresses }: ReferenceContext, schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const target = textOf(schema.$ref) || textOf(isObject(schema.items) ? schema.items.$ref : '');
  const [, token = ''] = MODEL.exec(target) ?? [];
  const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
  return name !== '' && addresses.model(name) !== undefined;
}

const placeOptions = (context: ReferenceContext, group: string, depth: number) => ({
  group,
  depth,
  hasPage: (schema: Record<string, unknown>) => hasModelPage(context, schema),
});

/** A property of several media types is one. */
function unique(places: readonly DescribedPlace[]): DescribedPlace[] {
  const byName = new Map<string, DescribedPlace>();
  for (const place of places) {
    const key = `${place.group} ${place.name}`;
    if (!byName.has(key)) byName.set(key, place);
  }
  return [...byName.values()].slice(0, MAX_PLACES);
}

function described({ descriptions }: ReferenceContext, text: string) {
  const plain = descriptions.plain(prefix(text, 4 * EXCERPT));
  return { excerpt: prefix(plain, EXCERPT), texts: [text.slice(0, MAX_DESCRIPTION)] };
}
