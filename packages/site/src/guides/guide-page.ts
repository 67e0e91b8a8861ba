import { Html, html } from '@petstore/http/html.ts';
import type { SiteFrame, SiteGroup } from '../site/frame.ts';
import { type LayoutPage, pageHtml } from '../site/page-layout.ts';
import type { RenderedPage } from './render/render-page.ts';

/** A guide as a page of the site. `source` is the address where its file can be edited. */
export function guidePage(
  frame: SiteFrame,
  page: RenderedPage,
  source: string | undefined,
): string {
  const { groups } = frame;
  const group = groups.find(({ pages }) => pages.some(({ path }) => path === page.path));
  return pageHtml(frame, {
    place: { path: page.path, part: 'guides' },
    title: page.title,
    description: page.description,
    crumbs: [],
    kind: 'guide',
    content: html`${group?.title === undefined ? '' : html`<p class="docs-group">${group.title}</p>`}
${hasTitle(page) ? '' : opening(page)}
${new Html(page.html)}`,
    beside: toc(page),
    ...neighbours(groups, page.path),
    source,
  });
}

/** The beginning of a page whose text has no title: the title and the description of its front matter. */
function opening({ title, description }: RenderedPage): Html {
  const lead = description && html`<p class="docs-lead">${description}</p>`;
  return html`<h1>${title}</h1>${lead}`;
}

const hasTitle = ({ headings }: RenderedPage) => headings.some(({ depth }) => depth === 1);

function toc({ headings }: RenderedPage): Html | undefined {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return undefined;
  const items = shown.map(
    ({ depth, id, text }) =>
      html`<li class="toc-${depth}"><a href="#${encodeURI(id)}">${text}</a></li>`,
  );
  return html`<aside class="docs-toc" aria-label="On this page"><p class="docs-toc-title">On this page</p>
<ul>${items}</ul></aside>`;
}

function neighbours(
  groups: readonly SiteGroup[],
  current: string,
): Pick<LayoutPage, 'previous' | 'next'> {
  const pages = groups.flatMap((group) => group.pages);
  const at = pages.findIndex(({ path }) => path === current);
  return {
    previous: at > 0 ? pages[at - 1] : undefined,
    next: at === -1 ? undefined : pages[at + 1],
  };
}
