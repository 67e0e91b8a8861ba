import { type Html, html } from '@petstore/http/html.ts';
import { CHANGELOG } from '../changelog/changelog-paths.ts';
import {
  CONTENT_ID,
  frameFooter,
  frameHead,
  frameHeader,
  type Place,
  referenceHome,
  SEARCH,
  type SiteFrame,
  type SiteLink,
  tabOf,
} from './frame.ts';
import { ALL_PAGES, wholeGuideList } from './guide-list.ts';
import { PREVIEW_SIZE, type PreviewText } from './preview/draw-preview.ts';
import type { Preview } from './preview/site-previews.ts';
import { feedbackForm } from './readers/feedback-form.ts';
import { sidebar } from './sidebar.ts';
import { hrefOf, markdownPath, type SiteFile, TYPES } from './site-files.ts';

/** A page of a site, whichever part it belongs to. */
export interface LayoutPage {
  readonly place: Place;
  /** The page's own title, without the site's. */
  readonly title: string;
  /** One sentence for search engines and previews; empty for none. */
  readonly description: string;
  /** The pages above it, the highest first. */
  readonly crumbs: readonly SiteLink[];
  /** The API that it is of, where the site has several. */
  readonly api?: string | undefined;
  /** The group of pages that it is in, where it has no pages above it; undefined for none. */
  readonly group?: string | undefined;
  /** The content of its article. */
  readonly content: Html;
  /** More classes of the article. */
  readonly kind: 'guide' | 'ref';
  /** What stands beside the article; undefined where there is nothing. */
  readonly beside?: Html | undefined;
  readonly previous: SiteLink | undefined;
  readonly next: SiteLink | undefined;
  /** The file that the page is made from; undefined where nobody knows. */
  readonly source?: SourceLink | undefined;
  /** The path of its file, where that is not the page's own: the start page is at `/` as well. */
  readonly path?: string;
  /** Search engines shall not list it. */
  readonly isUnindexed?: boolean;
  /** What its preview image says; undefined where it has the site's own. */
  readonly preview?: PreviewText | undefined;
}

/** A link to the file that a page is made from, at the host of its repository. */
export interface SourceLink {
  readonly href: string;
  readonly text: string;
}

/** The file of a page, and before it the one of its preview image, where no other page has the same. */
export function* pageFiles(frame: SiteFrame, page: LayoutPage): Generator<SiteFile> {
  const preview = frame.previews?.of(page.preview);
  if (preview?.file) yield preview.file;
  yield {
    path: page.path ?? page.place.path,
    type: TYPES.html,
    content: pageHtml(frame, page, preview),
  };
}

/** A whole page. */
export function pageHtml(
  frame: SiteFrame,
  page: LayoutPage,
  preview?: Pick<Preview, 'address' | 'alt'>,
): string {
  const { place, content, kind, beside, description, source } = page;
  const markdown = hrefOf(markdownPath(place.path));
  const title = [...new Set([page.title, page.api, frame.title])].filter(Boolean).join(' · ');
  return shell(frame, {
    title,
    place,
    head: html`${page.isUnindexed ? NOINDEX : ''}${
      description
        ? html`<meta name="description" content="${description}">
<meta property="og:description" content="${description}">
`
        : ''
    }<meta property="og:title" content="${page.title}">
<meta property="og:site_name" content="${frame.title}">
<meta property="og:type" content="article">
${preview ? previewMeta(preview) : html`<meta name="twitter:card" content="summary">`}
<link rel="alternate" type="text/markdown" href="${markdown}">
`,
    body: html`<main class="docs-main" id="${CONTENT_ID}" tabindex="-1">
<div class="docs-head">${above(page)}<p class="docs-markdown"><button type="button" class="page-copy" hidden>Copy as Markdown</button><a href="${markdown}" data-copy-page>View as Markdown</a></p></div>
<article class="content${kind === 'ref' ? ' ref' : ''}">
${content}
</article>
${source === undefined ? '' : html`<p class="docs-source"><a href="${source.href}">${source.text}</a></p>`}
${steps(page)}
${frame.hasFeedback ? feedbackForm(place.path) : ''}${frameFooter(frame)}
</main>
${beside ?? ''}`,
  });
}

const NOINDEX = html`<meta name="robots" content="noindex">
`;

/** What stands above the title: the pages above this one, or the group that it is in. */
function above({ crumbs, group }: LayoutPage): Html {
  if (crumbs.length > 0)
    return html`<nav class="docs-crumbs" aria-label="Breadcrumb"><ol>${crumbs.map(({ title, path }) => html`<li><a href="${hrefOf(path)}">${title}</a></li>`)}</ol></nav>`;
  return group === undefined ? html`` : html`<p class="docs-group">${group}</p>`;
}

function previewMeta({ address, alt }: Pick<Preview, 'address' | 'alt'>): Html {
  return html`<meta property="og:image" content="${address}">
<meta property="og:image:width" content="${PREVIEW_SIZE.width}">
<meta property="og:image:height" content="${PREVIEW_SIZE.height}">
<meta property="og:image:alt" content="${alt}">
<meta name="twitter:card" content="summary_large_image">`;
}

function steps({ previous, next }: LayoutPage): Html {
  if (!previous && !next) return html``;
  return html`<nav class="docs-steps" aria-label="Previous and next page">
${previous ? html`<a class="previous" rel="prev" href="${hrefOf(previous.path)}"><small>Previous</small>${previous.title}</a>` : ''}
${next ? html`<a class="next" rel="next" href="${hrefOf(next.path)}"><small>Next</small>${next.title}</a>` : ''}
</nav>`;
}

/** The page for missing paths, with the search, and for those without a script with the list of pages. */
export function notFoundPage(
  frame: SiteFrame,
  { title, content }: { readonly title: string; readonly content: Html } = NOT_FOUND,
): SiteFile {
  const home = referenceHome(frame.references);
  const page = shell(frame, {
    title: `${title} · ${frame.title}`,
    place: { path: '', part: undefined },
    head: NOINDEX,
    body: html`<main class="docs-lost content" id="${CONTENT_ID}" tabindex="-1">
${content}
<button type="button" class="lost-search" aria-haspopup="dialog">${SEARCH}<span>Search the documentation</span></button>
<p class="lost-ways"><a href="/">Start page</a>${hasGuides(frame) ? html`<a href="${ALL_PAGES}">All pages</a>` : ''}${home === undefined ? '' : html`<a href="${hrefOf(home)}">API reference</a>`}</p>
</main>`,
  });
  return { path: '/404.html', type: TYPES.html, content: page };
}

const NOT_FOUND = {
  title: 'Page not found',
  content: html`<h1>Page not found</h1>
<p>There is nothing at this address. It may have moved: search for it, or begin at one of these pages.</p>`,
};

/** The list of all guides, for those who have no script and for large sites. */
function allPagesHtml(frame: SiteFrame): string {
  return shell(frame, {
    title: `All pages · ${frame.title}`,
    place: { path: ALL_PAGES, part: undefined },
    head: NOINDEX,
    body: html`<main class="docs-all content" id="${CONTENT_ID}" tabindex="-1">
<h1>All pages</h1>
${wholeGuideList(frame.tabs)}
</main>`,
  });
}

interface ShellOptions {
  readonly title: string;
  readonly place: Place;
  readonly head: Html;
  readonly body: Html;
}

function shell(frame: SiteFrame, { title, place, head, body }: ShellOptions): string {
  const part =
    place.part === 'reference'
      ? referencePart(frame, place)
      : place.path === CHANGELOG.path
        ? place.path
        : '/';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}${frameHead(frame)}
</head>
<body>
${frameHeader(frame, place.path === '' ? '' : part, tabOf(frame, place))}
<div class="docs">
${sidebar(frame, place)}
<div class="docs-body">
${body}
</div>
</div>
</body>
</html>
`.text;
}

/** The link of the header that a page of a reference is under: its own, or that of all. */
function referencePart({ links, references }: SiteFrame, { reference }: Place): string {
  const own = links.find(({ path }) => path === reference?.overview)?.path;
  return own ?? referenceHome(references) ?? '/';
}

/** Files that every site has unless it brings its own: the page for missing paths, the list of guides, and the icon. */
export function commonFiles(frame: SiteFrame): SiteFile[] {
  return [
    notFoundPage(frame),
    ...(hasGuides(frame)
      ? [{ path: ALL_PAGES, type: TYPES.html, content: allPagesHtml(frame) }]
      : []),
    { path: '/favicon.svg', type: TYPES.svg, content: ICON },
  ];
}

const hasGuides = ({ tabs }: SiteFrame) => tabs.some(({ entries }) => entries.length > 0);

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0a58ca"/><path d="M9 9h9l5 5v9H9z" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/><path d="M13 17h6M13 20h6" stroke="#fff" stroke-width="2"/></svg>
`;
