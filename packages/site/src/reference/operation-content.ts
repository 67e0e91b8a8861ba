import { type Html, html } from '@petstore/http/html.ts';
import { historyHtml } from '../changelog/operation-history.ts';
import { isObject, type OperationSummary, textOf } from '../openapi/openapi-types.ts';
import { aboutOf, type FoundOperation, placeOf } from '../openapi/operations.ts';
import { serversOf } from '../openapi/servers.ts';
import { marksOf, markText } from '../openapi/tags.ts';
import { wordBreaks } from '../site/word-breaks.ts';
import { badges } from './badges.ts';
import { bodyHtml } from './body-html.ts';
import { callbacksHtml } from './callbacks-html.ts';
import { outsideLink, startPage, TOP_HEADING, textBlock } from './page-parts.ts';
import { parametersHtml } from './parameters-html.ts';
import type { ReferenceContext } from './reference-context.ts';
import { responsesHtml } from './responses-html.ts';
import { securityHtml } from './security-html.ts';
import { serversHtml } from './servers-html.ts';

/** In letters of HTML: the schemas of one operation. Those of the body and of the success come first. */
const SCHEMA_LETTERS = 24_000;

export interface OperationParts {
  /** Code samples and examples. */
  readonly aside: Html;
  /** The data for scripts; undefined for a webhook. */
  readonly data: Html | undefined;
  readonly tryIt: boolean;
}

/** The content of an operation's or a webhook's page. */
export function operationContent(
  context: ReferenceContext,
  summary: OperationSummary,
  found: FoundOperation,
  { aside, data, tryIt }: OperationParts,
): Html {
  const { method, path, isWebhook, title } = summary;
  const place = placeOf(found);
  const page = startPage(context, place, SCHEMA_LETTERS);
  const { item, operation } = found;
  const about = aboutOf(found) || textOf(item.description);
  // Who sends a webhook does not sign in as the callers of the API do, unless the webhook says so.
  const isReceived = isWebhook && operation.security === undefined;
  // The title of an operation without a summary may be its description.
  const said = summary.description || context.descriptions.plain(about);
  const isTitle = withoutStop(said) === withoutStop(title);
  return html`<header class="ref-head"><h1>${wordBreaks(title)}</h1>
<div class="ref-line-up"><p class="ref-address"><span class="method method-${method.toLowerCase()}">${method}</span> <code>${pathHtml(path)}</code></p>${tryIt ? html`<button type="button" class="ref-try" hidden>Try it</button>` : ''}</div>${badges(operation, marksOf(context.document, operation).map(markText))}${historyHtml(context, summary)}</header>
<div class="ref-main">
${isTitle ? '' : textBlock(page, about, TOP_HEADING)}${docsHtml(operation)}
${isReceived ? '' : securityHtml(page, operation)}${parametersHtml(page, found)}${bodyHtml(page, operation, isWebhook)}${responsesHtml(page, operation)}${callbacksHtml(page, operation)}${isWebhook ? '' : serversHtml(page, { servers: serversOf(operation, item) })}</div>
${aside.text === '' ? '' : html`<aside class="ref-aside" aria-label="Examples">${aside}</aside>`}${data ?? ''}`;
}

const withoutStop = (text: string) => text.replace(/\.$/, '');

/** A path whose parameters stand out, and which breaks before its slashes. */
export function pathHtml(path: string): Html {
  const parts = path.split(/(\{[^{}]*\}|(?=\/))/).filter(Boolean);
  return html`${parts.map((part) =>
    part.startsWith('{')
      ? html`<i>${part}</i>`
      : part.startsWith('/')
        ? html`<wbr>${part}`
        : html`${part}`,
  )}`;
}

/** A link to what the object names as its `externalDocs`. */
export function docsHtml({ externalDocs }: Record<string, unknown>): Html {
  if (!isObject(externalDocs) || textOf(externalDocs.url) === '') return html``;
  const { url, description } = externalDocs;
  return html`<p class="ref-docs">${outsideLink(textOf(url), textOf(description) || textOf(url))}</p>`;
}
