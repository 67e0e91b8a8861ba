import { Html, html } from '@petstore/http/html.ts';
import type { SiteFrame, SiteGroup } from '../site/frame.ts';
import { type LayoutPage, pageFiles } from '../site/page-layout.ts';
import type { SiteFile } from '../site/site-files.ts';
import { wordBreaks } from '../site/word-breaks.ts';
import type { RenderedPage } from './render/render-page.ts';

/**
 * A guide as a page of the site, and its preview image. `path` is where it is shown, and `source` the address where its
 * file can be edited.
 */
export function guideFiles(
  frame: SiteFrame,
  page: RenderedPage,
  { path, source }: { readonly path: string; readonly source: string | undefined },
): Iterable<SiteFile> {
  const { groups } = frame;
  const { title, description } = page;
  const group = groups.find(({ pages }) => pages.some((one) => one.path === page.path));
  return pageFiles(frame, {
    path,
    place: { path: page.path, part: 'guides' },
    ...{ title, description },
    crumbs: [],
    group: group?.title,
    kind: 'guide',
    content: html`${hasTitle(page) ? '' : opening(page)}
${new Html(page.html)}`,
    beside: toc(page),
    ...neighbours(groups, page.path),
    source,
    preview: { title, description, label: group?.title, operation: undefined },
  });
}

/** The beginning of a page whose text has no title: the title and the description of its front matter. */
function opening({ title, lead }: RenderedPage): Html {
  return html`<h1>${wordBreaks(title)}</h1>${lead && html`<p class="docs-lead">${lead}</p>`}`;
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
