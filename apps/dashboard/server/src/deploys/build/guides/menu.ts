import { type Html, html } from '@petstore/reference/html.ts';
import type { SiteFrame } from './header.ts';
import { hrefOf } from './page-path.ts';

/** The navigation with what is known once the pages are rendered. */
export interface SiteGroup {
  readonly title: string | undefined;
  readonly pages: readonly SiteLink[];
}

export interface SiteLink {
  readonly title: string;
  readonly path: string;
}

export interface MenuOptions {
  /** The path of the link that is marked. */
  readonly current: string;
  /** Shown on a narrow screen alone: what else is beside the content there is not these pages. */
  readonly isNarrowOnly: boolean;
}

/** The list of pages, which the header's button opens on a narrow screen. */
export function pagesMenu(
  { groups, links }: SiteFrame,
  { current, isNarrowOnly }: MenuOptions,
): Html {
  const link = ({ title, path }: SiteLink) =>
    path === current
      ? html`<a href="${hrefOf(path)}" aria-current="page">${title}</a>`
      : html`<a href="${hrefOf(path)}">${title}</a>`;
  // Above them is the start page already, where there are pages.
  const others = links.filter(({ path }) => groups.length === 0 || path !== '/');
  return html`<nav class="docs-nav${isNarrowOnly ? ' docs-nav-narrow' : ''}" id="layout-nav" aria-label="Pages">
${groups.map(
  ({
    title,
    pages,
  }) => html`${title === undefined ? '' : html`<p class="docs-nav-title">${title}</p>`}
<ul>${pages.map((page) => html`<li>${link(page)}</li>`)}</ul>
`,
)}${others.length > 0 ? html`<div class="docs-nav-site">${others.map(link)}</div>` : ''}
</nav>`;
}
