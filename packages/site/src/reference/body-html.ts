import { type Html, html } from '@petstore/http/html.ts';
import { isObject, type Schema, textOf } from '../openapi/openapi-types.ts';
import { resolveReference } from '../openapi/references.ts';
import { positionalEncodings } from './encodings.ts';
import { isBinary, isXml } from './examples/example-text.ts';
import { box, boxes, type Page, REQUIRED, section, textBlock, valueCode } from './page-parts.ts';
import { headersHtml } from './parameters-html.ts';
import { schemaHtml } from './schema-html.ts';
import type { Purpose } from './schema-tree.ts';
import { shapeOf } from './shape.ts';
import { factList } from './value-html.ts';

/** How many kinds of bodies one place shows. */
const MAX_GROUPS = 20;

/** The body of a request, or what a webhook brings, as a section; nothing where there is none. */
export function bodyHtml(page: Page, operation: Schema, isWebhook: boolean): Html {
  const content = bodyContent(page, operation, isWebhook ? 'response' : 'request', 'body');
  if (content.text === '') return content;
  const body = resolveReference(page.context.document, operation.requestBody);
  const mark = isObject(body) && body.required === true && !isWebhook ? REQUIRED : undefined;
  return section(page, 'request-body', isWebhook ? 'Payload' : 'Request body', content, mark);
}

/** What a body is made of. `prefix`: what ids of its properties begin with. */
export function bodyContent(page: Page, operation: Schema, purpose: Purpose, prefix: string): Html {
  const body = resolveReference(page.context.document, operation.requestBody);
  if (!isObject(body)) return html``;
  const description = textOf(body.description);
  return html`${textBlock(page, description)}${contentHtml(page, body.content, { purpose, prefix, description })}`;
}

export interface ContentOptions {
  readonly purpose: Purpose;
  /** What ids of properties begin with: `body`, `200`. */
  readonly prefix: string;
  /** Said above. */
  readonly description?: string;
}

interface MediaOptions extends ContentOptions {
  /** All media types are of files. */
  readonly isFile: boolean;
  /** One of them is XML. */
  readonly isXml: boolean;
  /** The media types, where they are not said above. */
  readonly types?: Html;
}

/** The media types of a body, those with the same schema together. */
export function contentHtml(page: Page, content: unknown, options: ContentOptions): Html {
  const groups = mediaGroups(page, content);
  const shown = groups.slice(0, MAX_GROUPS).map((group, at) => {
    const types = html`${group.types.map((type) => html` <code>${type}</code>`)}`;
    const how = {
      ...options,
      isFile: group.types.every(isBinary),
      isXml: group.types.some(isXml),
    };
    if (groups.length === 1) return mediaHtml(page, group.media, { ...how, types });
    return box(types, mediaHtml(page, group.media, how), at === 0);
  });
  const more = groups.length - shown.length;
  if (more > 0) page.context.warn(`The page leaves out ${more} media types.`, page.place);
  return html`${groups.length === 1 ? shown : boxes(shown)}${more > 0 ? html`<p class="ref-cut">… and ${more} more media types.</p>` : ''}`;
}

interface MediaGroup {
  readonly types: string[];
  readonly media: Schema;
}

function mediaGroups({ context }: Page, content: unknown): MediaGroup[] {
  const groups = new Map<unknown, MediaGroup>();
  for (const [type, value] of Object.entries(isObject(content) ? content : {})) {
    const media = resolveReference(context.document, value);
    if (!isObject(media)) continue;
    const isAlone =
      isObject(media.encoding) ||
      isObject(media.itemSchema) ||
      positionalEncodings(media).length > 0;
    const key = isAlone ? media : shapeOf(context.document, media.schema).source;
    const group = groups.get(key);
    if (group) group.types.push(type);
    else groups.set(key, { types: [type], media });
  }
  return [...groups.values()];
}

function mediaHtml(page: Page, media: Schema, options: MediaOptions): Html {
  const items =
    media.itemSchema === undefined
      ? html``
      : html`<p class="ref-choice">Each item of the stream</p>${schemaHtml(page, media.itemSchema, itemOptions(options))}`;
  const parts = partsHtml(page, media, options);
  if (media.schema === undefined)
    return html`${options.types ? html`<p class="ref-kind">${options.types}</p>` : ''}${items}${parts}`;
  const encoding = isObject(media.encoding) ? media.encoding : {};
  const factsFor = (property: string) =>
    Object.hasOwn(encoding, property)
      ? encodingFacts(page, encoding[property], property, options)
      : [];
  const schema = options.isFile ? fileSchema(media.schema) : media.schema;
  return html`${schemaHtml(page, schema, { ...options, factsFor })}${items}${parts}`;
}

/** What is said above of the whole body is not said of its items. */
const itemOptions = ({ types: _, ...options }: MediaOptions): MediaOptions => options;

/** How the parts of a `multipart` body without names are sent; nothing where the document does not say it. */
function partsHtml(page: Page, holder: Schema, options: ContentOptions): Html {
  const rows = positionalEncodings(holder).flatMap(({ name, encoding }) => {
    const facts = encodingFacts(page, encoding, name.toLowerCase().replaceAll(' ', '-'), options);
    const inner = partsHtml(page, encoding, options);
    if (facts.length === 0 && inner.text === '') return [];
    return [html`<li><p class="ref-name"><i>${name}</i></p>${factList(facts)}${inner}</li>`];
  });
  return rows.length === 0 ? html`` : html`<ul class="ref-rows ref-parts">${rows}</ul>`;
}

/** The schema of a file, which need not say that it is one (OpenAPI 3.1.1, “Working with Binary Data”). */
function fileSchema(schema: unknown): unknown {
  if (!isObject(schema) || '$ref' in schema || 'type' in schema) return schema;
  return { contentMediaType: 'application/octet-stream', ...schema };
}

/** How a property of a form is sent. */
function encodingFacts(
  page: Page,
  value: unknown,
  property: string,
  { prefix, purpose }: ContentOptions,
): Html[] {
  const encoding = resolveReference(page.context.document, value);
  if (!isObject(encoding)) return [];
  const headers = headersHtml(page, encoding.headers, `${prefix}.${property}`, purpose);
  return [
    ...(textOf(encoding.contentType) ? [html`Sent as ${valueCode(encoding.contentType)}`] : []),
    ...(textOf(encoding.style) ? [html`Style ${valueCode(encoding.style)}`] : []),
    ...(encoding.explode === true ? [html`Each value is a part`] : []),
    ...(encoding.explode === false ? [html`Values are joined`] : []),
    ...(headers.text === '' ? [] : [html`With headers ${headers}`]),
  ];
}
