import { Html, html } from '@petstore/http/html.ts';
import type { SiteFrame } from '../site/frame.ts';
import { positionOf } from '../site/navigation.ts';
import { notFoundPage, pageFiles, type SourceLink } from '../site/page-layout.ts';
import type { SiteFile } from '../site/site-files.ts';
import { wordBreaks } from '../site/word-breaks.ts';
import type { RenderedPage } from './render/render-page.ts';

interface GuidePlace {
  /** Where it is shown. */
  readonly path: string;
  /** Where its file can be edited. */
  readonly source: SourceLink | undefined;
  /** It is in no list. */
  readonly isHidden: boolean;
}

/** A guide as a page of the site, and its preview image. */
export function guideFiles(
  frame: SiteFrame,
  page: RenderedPage,
  { path, source, isHidden }: GuidePlace,
): Iterable<SiteFile> {
  const { title, description } = page;
  const position = positionOf(frame.tabs, page.path);
  const group = position?.groups.at(-1);
  return pageFiles(frame, {
    path,
    place: { path: page.path, part: 'guides' },
    ...{ title, description },
    crumbs: [],
    group: group?.title,
    kind: 'guide',
    content: contentOf(page),
    beside: toc(page),
    previous: position?.previous,
    next: position?.next,
    source,
    isUnindexed: page.settings.isUnindexed || isHidden,
    preview: { title, description, label: group?.title, operation: undefined },
  });
}

/** The site's own page for missing paths. */
export function notFoundFile(frame: SiteFrame, page: RenderedPage): SiteFile {
  return notFoundPage(frame, { title: page.title, content: contentOf(page) });
}

const contentOf = (page: RenderedPage) => html`${hasTitle(page) ? '' : opening(page)}
${new Html(page.html)}`;

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
