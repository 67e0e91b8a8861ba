import { type Html, html } from '@petstore/http/html.ts';
import { isObject, textOf } from '../openapi/openapi-types.ts';
import { hrefOf } from '../site/site-files.ts';
import { wordBreaks } from '../site/word-breaks.ts';
import { toPointer } from '../syntax/source.ts';
import { badges } from './badges.ts';
import { section, startPage, TOP_HEADING, textBlock } from './page-parts.ts';
import type { ReferenceContext } from './reference-context.ts';
import { schemaHtml } from './schema-html.ts';
import { keyword, shapeOf } from './shape.ts';

/** In letters of HTML: a model's page is where all of it can be read. */
const SCHEMA_LETTERS = 32_000;

export interface ModelParts {
  readonly aside: Html;
  /** The operations and models that name it. */
  readonly users: readonly {
    readonly title: string;
    readonly path: string;
    readonly method: string;
  }[];
}

/** The content of a model's page. */
export function modelContent(
  context: ReferenceContext,
  name: string,
  { aside, users }: ModelParts,
): Html {
  const { components } = context.document;
  const schemas = isObject(components) && isObject(components.schemas) ? components.schemas : {};
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  const page = startPage(context, toPointer(['components', 'schemas', name]), SCHEMA_LETTERS);
  const shape = shapeOf(context.document, schema);
  const title = textOf(keyword(shape, 'title'));
  const description = textOf(keyword(shape, 'description'));
  const used = users.map((user) => html`<li>${userHtml(user)}</li>`);
  return html`<header class="ref-head"><h1>${wordBreaks(name)}</h1>${badges(isObject(schema) ? schema : {})}</header>
<div class="ref-main">
${title === '' || title === name ? '' : html`<p class="ref-kind">${title}</p>`}${textBlock(page, description, TOP_HEADING)}
${section(page, 'schema', 'Schema', schemaHtml(page, schema, { purpose: 'model', prefix: '', description, isXml: true }))}${used.length === 0 ? '' : section(page, 'used-by', 'Used by', html`<ul class="ref-list">${used}</ul>`)}</div>
${aside.text === '' ? '' : html`<aside class="ref-aside" aria-label="Examples">${aside}</aside>`}`;
}

function userHtml({ title, path, method }: ModelParts['users'][number]): Html {
  const badge =
    method === '' ? '' : html`<span class="method method-${method.toLowerCase()}">${method}</span>`;
  return html`<a href="${hrefOf(path)}">${badge} <span>${title}</span></a>`;
}
