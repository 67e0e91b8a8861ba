import { Html, html } from '@petstore/http/html.ts';
import type { RenderedPage } from '../guides/render/render-page.ts';
import { siteAssets } from './assets.ts';
import { frameHead, frameHeader, pagesMenu, type SiteFrame } from './frame.ts';
import { hrefOf, type SiteFile, TYPES } from './site-files.ts';

const CONTENT = 'layout-content';

/** A page of the site, whole. */
export function pageHtml(frame: SiteFrame, page: RenderedPage): string {
  const { groups } = frame;
  const group = groups.find(({ pages }) => pages.some(({ path }) => path === page.path));
  const toc = page.headings.filter(({ depth }) => depth === 2 || depth === 3);
  const body = html`<main class="docs-main" id="${CONTENT}" tabindex="-1">
<article class="content">
${group?.title === undefined ? '' : html`<p class="docs-group">${group.title}</p>`}
${hasTitle(page) ? '' : opening(page)}
${new Html(page.html)}
</article>
${steps(frame, page.path)}
</main>
<aside class="docs-toc" aria-label="On this page">
${toc.length > 1 ? tocHtml(toc) : ''}
<a class="docs-source" href="${hrefOf(markdownPath(page.path))}">View as Markdown</a>
</aside>`;
  return shell(frame, {
    title: page.title === frame.title ? page.title : `${page.title} · ${frame.title}`,
    description: page.description,
    current: '/',
    body: html`<div class="docs">
${pagesMenu(frame, { current: page.path, isNarrowOnly: false })}
<div class="docs-body">
${body}
</div>
</div>`,
  });
}

/** The path of a page's Markdown; that of the start page is `/index.md`. */
export function markdownPath(path: string): string {
  return path.endsWith('/') ? `${path}index.md` : `${path}.md`;
}

/** The page for missing paths. */
function notFoundPageHtml(frame: SiteFrame): string {
  return shell(frame, {
    title: `Page not found · ${frame.title}`,
    description: '',
    current: '',
    body: html`${pagesMenu(frame, { current: '', isNarrowOnly: true })}
<main class="docs-lost content" id="${CONTENT}" tabindex="-1">
<h1>Page not found</h1>
<p>There is nothing at this address. It may have moved: search for it, or begin at
<a href="/">the start page</a>.</p>
</main>`,
  });
}

interface ShellOptions {
  readonly title: string;
  readonly description: string;
  /** The path of the current link in the header. */
  readonly current: string;
  readonly body: Html;
}

function shell(frame: SiteFrame, { title, description, current, body }: ShellOptions): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${description && html`<meta name="description" content="${description}">`}
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${frameHead(frame)}
<link rel="stylesheet" href="${siteAssets().pageStyle}">
</head>
<body>
${frameHeader(frame, { current, content: CONTENT })}
${body}
</body>
</html>
`.text;
}

/** The beginning of a page whose text has no title: the title and the description of its front matter. */
function opening({ title, description }: RenderedPage): Html {
  const lead = description && html`<p class="docs-lead">${description}</p>`;
  return html`<h1>${title}</h1>${lead}`;
}

const hasTitle = ({ headings }: RenderedPage) => headings.some(({ depth }) => depth === 1);

function tocHtml(headings: RenderedPage['headings']): Html {
  const items = headings.map(
    ({ depth, id, text }) =>
      html`<li class="toc-${depth}"><a href="#${encodeURI(id)}">${text}</a></li>`,
  );
  return html`<p class="docs-toc-title">On this page</p>
<ul>${items}</ul>`;
}

function steps({ groups }: SiteFrame, current: string): Html {
  const pages = groups.flatMap((group) => group.pages);
  const at = pages.findIndex(({ path }) => path === current);
  const before = at > 0 ? pages[at - 1] : undefined;
  const after = at === -1 ? undefined : pages[at + 1];
  if (!before && !after) return html``;
  return html`<nav class="docs-steps" aria-label="Previous and next page">
${before ? html`<a class="previous" rel="prev" href="${hrefOf(before.path)}"><small>Previous</small>${before.title}</a>` : ''}
${after ? html`<a class="next" rel="next" href="${hrefOf(after.path)}"><small>Next</small>${after.title}</a>` : ''}
</nav>`;
}

/** Files that every site has unless it brings its own: the page for missing paths, and the icon. */
export function commonFiles(frame: SiteFrame): SiteFile[] {
  return [
    { path: '/404.html', type: TYPES.html, content: notFoundPageHtml(frame) },
    { path: '/favicon.svg', type: TYPES.svg, content: ICON },
  ];
}

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0a58ca"/><path d="M9 9h9l5 5v9H9z" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/><path d="M13 17h6M13 20h6" stroke="#fff" stroke-width="2"/></svg>
`;
