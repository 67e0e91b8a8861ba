import { type Html, html } from '@petstore/http/html.ts';
import { prefix } from '@petstore/service/text.ts';
import { isObject, type OperationSummary, textOf } from '../openapi/openapi-types.ts';
import { hrefOf } from '../site/site-files.ts';
import { wordBreaks } from '../site/word-breaks.ts';
import { toPointer } from '../syntax/source.ts';
import type { TagAddress } from './addresses.ts';
import { badges } from './badges.ts';
import { firstSentence } from './first-sentence.ts';
import { docsHtml, pathHtml } from './operation-content.ts';
import { claimId, startPage, TOP_HEADING, textBlock } from './page-parts.ts';
import type { ReferenceContext } from './reference-context.ts';
import { keyword, shapeOf } from './shape.ts';
import { tagList } from './tag-list.ts';

/** The content of a tag's page, or of the page of all webhooks. */
export function tagContent(context: ReferenceContext, tag: TagAddress): Html {
  const { title, name, description, operations } = tag;
  const tags = Array.isArray(context.document.tags) ? context.document.tags : [];
  const at = name === undefined ? -1 : tags.findIndex((one) => isObject(one) && one.name === name);
  const given: unknown = tags[at];
  const holder = isObject(given) ? given : {};
  const place = at < 0 ? tag.path : toPointer(['tags', at]);
  const page = startPage(context, place, 0);
  return html`<header class="ref-head"><h1>${wordBreaks(title)}</h1>${badges(holder)}</header>
<div class="ref-main">
${textBlock(page, description, TOP_HEADING)}${docsHtml(holder)}
${tagList(page, tag.children)}${operations.length > 0 ? operationList(context, operations) : ''}</div>`;
}

/** Operations with their addresses, as links to their pages. */
function operationList(context: ReferenceContext, operations: readonly OperationSummary[]): Html {
  const rows = operations.map((one) => {
    const { method, path, title, deprecated } = one;
    const name = wordBreaks(title);
    const label = deprecated ? html`<s>${name}</s> <em class="ref-flag">deprecated</em>` : name;
    // The title of a webhook may be its name.
    const address = path === title ? '' : html` <code>${pathHtml(path)}</code>`;
    return html`<li><a href="${hrefOf(context.addresses.operation(one))}"><span class="method method-${method.toLowerCase()}">${method}</span> <span>${label}</span>${address}</a></li>
`;
  });
  return html`<ul class="ref-list">${rows}</ul>`;
}

/** In letters: what the list of models says of each. */
const MAX_SENTENCE = 160;

/** The content of the page of all models. */
export function modelListContent(context: ReferenceContext): Html {
  const { addresses, descriptions, document } = context;
  const { components } = document;
  const schemas = isObject(components) && isObject(components.schemas) ? components.schemas : {};
  const page = startPage(context, '/components/schemas', 0);
  const rows = addresses.models.map((name) => {
    const text = textOf(keyword(shapeOf(document, schemas[name]), 'description'));
    const plain = descriptions.plain(prefix(text, 4 * MAX_SENTENCE));
    return html`<li id="${claimId(page, name)}"><a href="${hrefOf(addresses.model(name) ?? addresses.overview)}"><b>${wordBreaks(name)}</b> <span>${firstSentence(plain, MAX_SENTENCE)}</span></a></li>
`;
  });
  return html`<header class="ref-head"><h1>Models</h1></header>
<div class="ref-main"><ul class="ref-list ref-models">${rows}</ul></div>`;
}
