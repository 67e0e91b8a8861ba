import { type Html, html } from '@petstore/http/html.ts';
import { count, prefix, truncate } from '@petstore/service/text.ts';
import { joined, pageLink } from '../markdown/markdown-text.ts';
import { isObject, textOf } from '../openapi/openapi-types.ts';
import { titleText } from '../openapi/title-text.ts';
import { PLAIN_DOCUMENT, type SearchDocument } from '../search/search-document.ts';
import type { SiteFrame } from '../site/frame.ts';
import { type LayoutPage, pageFiles } from '../site/page-layout.ts';
import { hrefOf, markdownPath, type SiteFile, TYPES } from '../site/site-files.ts';
import { REFERENCE_LIST } from './addresses.ts';
import { firstSentence } from './first-sentence.ts';
import type { ReferenceContext } from './reference-context.ts';

// The page that lists the APIs of a site whose docs.yaml has `references`.

type References = readonly ReferenceContext[];

/** Whether a site lists its APIs: where it has one by `openapi`, that one's introduction is enough. */
export const isListed = (references: References): boolean =>
  references.some(({ addresses }) => addresses.address !== undefined);

/**
 * The list's page and its Markdown, at `/reference`; where the site has nothing else (`isStart`) at `/`, too. None where
 * the site does not list its APIs.
 */
export function* referenceListFiles(
  references: References,
  frame: SiteFrame,
  isStart: boolean,
): Generator<SiteFile> {
  if (!isListed(references)) return;
  const { title, path } = REFERENCE_LIST;
  const description = listDescription(references);
  const page: LayoutPage = {
    ...{ place: { path, part: 'reference' }, kind: 'ref', title, description },
    ...{ crumbs: [], previous: undefined, next: undefined, content: listContent(references) },
    preview: { title, description, label: undefined, operation: undefined },
  };
  const content = listMarkdown(references);
  for (const at of isStart ? ['/', path] : [path]) {
    yield* pageFiles(frame, { ...page, path: at });
    yield { path: markdownPath(at), type: TYPES.markdown, content };
  }
}

/** The list as the search finds it. */
export function referenceListDocuments(references: References): SearchDocument[] {
  if (!isListed(references)) return [];
  const excerpt = prefix(listDescription(references), MAX_ABOUT);
  const { title, path } = REFERENCE_LIST;
  const texts = references.map(({ title: name }) => name);
  return [{ ...PLAIN_DOCUMENT, kind: 'page', title, href: hrefOf(path), excerpt, texts }];
}

const listDescription = (references: References) =>
  truncate(`The APIs: ${references.map(({ title }) => title).join(', ')}.`, MAX_ABOUT);

/** In letters. */
const MAX_ABOUT = 300;

function listContent(references: References): Html {
  return html`<h1>${REFERENCE_LIST.title}</h1>
<div class="columns columns-2 api-list">${references.map(card)}</div>
`;
}

function card(context: ReferenceContext): Html {
  const { title, addresses } = context;
  const about = aboutOf(context);
  return html`<div class="card"><p class="card-title"><a class="card-link" href="${hrefOf(addresses.overview)}">${title}</a></p>
${about ? html`<p>${about}</p>` : ''}<ul class="ref-facts">${factsOf(context).map((fact) => html`<li>${fact}</li>`)}</ul></div>
`;
}

function listMarkdown(references: References): string {
  const items = references.map((context) => {
    const { title, addresses } = context;
    return pageLink(
      title,
      addresses.overview,
      [aboutOf(context), ...factsOf(context)].filter(Boolean).join(', '),
    );
  });
  return `${joined([`# ${REFERENCE_LIST.title}`, items.join('\n')])}\n`;
}

/** What is said of an API, or the first sentence of what it says of itself; empty for none. */
function aboutOf(context: ReferenceContext): string {
  const { about, document, descriptions } = context;
  const info = isObject(document.info) ? document.info : {};
  const own = textOf(info.summary) || textOf(info.description);
  return about || firstSentence(descriptions.plain(prefix(own, 4 * MAX_ABOUT)), MAX_ABOUT);
}

/** `Version 2.1`, `12 operations`. */
function factsOf({ document, checked: { operations } }: ReferenceContext): string[] {
  const { version } = isObject(document.info) ? document.info : {};
  const webhooks = operations.filter(({ isWebhook }) => isWebhook).length;
  return [
    ...(titleText(version) ? [`Version ${titleText(version)}`] : []),
    ...(operations.length > webhooks || webhooks === 0
      ? [count(operations.length - webhooks, 'operation')]
      : []),
    ...(webhooks > 0 ? [count(webhooks, 'webhook')] : []),
  ];
}
