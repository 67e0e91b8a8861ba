import { Html, html } from '@petstore/http/html.ts';
import { type SiteAssets, siteAssets } from './assets.ts';
import { hrefOf, type SiteFile } from './site-files.ts';

/** The frame of every page of a site. */
export interface SiteFrame {
  readonly title: string;
  /** Paths of the archive. */
  readonly logo: { readonly light: string; readonly dark: string } | undefined;
  readonly links: readonly SiteLink[];
  /** The pages; empty where the site is a document's reference alone. */
  readonly groups: readonly SiteGroup[];
  readonly accent: SiteFile;
  readonly searchIndex: SiteFile;
}

/** The files that the frame's head refers to. */
export function frameFiles({ accent, searchIndex }: SiteFrame): SiteFile[] {
  return [...siteAssets().files, accent, searchIndex];
}

/** The elements that the heads of pages and the reference have in common. */
export function frameHead({ accent, searchIndex }: SiteFrame): Html {
  const assets: SiteAssets = siteAssets();
  return html`<meta name="color-scheme" content="light dark">
<meta name="search-index" content="${searchIndex.path}">
<script src="${assets.theme}"></script>
<link rel="stylesheet" href="${assets.siteStyle}">
<link rel="stylesheet" href="${accent.path}">
<script type="module" src="${assets.siteScript}"></script>`;
}

export interface HeaderOptions {
  /** The path of the current link. */
  readonly current: string;
  /** The id that the skip link leads to. */
  readonly content: string;
  /** The page takes the screen's whole width, as the reference does. */
  readonly isWide?: boolean;
  /** The page's own part of the header. */
  readonly more?: Html;
}

export function frameHeader(
  frame: SiteFrame,
  { current, content, isWide = false, more = html`` }: HeaderOptions,
): Html {
  return html`<a class="site-skip" href="#${content}">Skip to content</a>
<header class="site-header${isWide ? ' site-header-wide' : ''}"><div class="site-bar">
<button type="button" class="site-button site-menu" aria-label="Pages" aria-expanded="false" aria-controls="layout-nav">${MENU}</button>
<a class="site-brand" href="/">${brand(frame)}</a>
<button type="button" class="site-search" aria-haspopup="dialog" aria-keyshortcuts="Control+K /">${SEARCH}<span>Search</span><kbd aria-hidden="true">Ctrl K</kbd></button>
<nav class="site-links" aria-label="Site">${siteLinks(frame, current)}</nav>
${more}<button type="button" class="site-button site-theme" aria-label="Colours">${THEMES}</button>
</div></header>`;
}

function siteLinks({ links }: SiteFrame, current: string): Html[] {
  if (links.length < 2) return [];
  return links.map(({ title, path }) =>
    path === current
      ? html`<a href="${hrefOf(path)}" aria-current="true">${title}</a>`
      : html`<a href="${hrefOf(path)}">${title}</a>`,
  );
}

function brand({ title, logo }: SiteFrame): Html {
  if (!logo) return html`<span>${title}</span>`;
  const image = (file: string, name: string) =>
    html`<img class="${name}" src="${hrefOf(`/${file}`)}" alt="${title}">`;
  if (logo.light === logo.dark) return image(logo.light, 'logo');
  return html`${image(logo.light, 'logo-light')}${image(logo.dark, 'logo-dark')}`;
}

/** The navigation with the titles, which are known once the pages are rendered. */
export interface SiteGroup {
  readonly title: string | undefined;
  readonly pages: readonly SiteLink[];
}

interface SiteLink {
  readonly title: string;
  readonly path: string;
}

export interface MenuOptions {
  /** The path of the current link. */
  readonly current: string;
  /** Shown on a narrow screen only: elsewhere the reference's own list stands beside the content. */
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
  // The start page is listed already, where there are pages.
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

// The outlines of Lucide's icons (ISC licence) that pages use.

function icon(name: string, paths: string, size = 18): Html {
  return new Html(
    `<svg class="icon-${name}" width="${size}" height="${size}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`,
  );
}

const SEARCH = icon('search', '<circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/>', 17);

const MENU = icon('menu', '<path d="M4 6h16M4 12h16M4 18h16"/>', 20);

const THEMES = [
  icon('system', '<rect x="3" y="4" width="18" height="12" rx="2"/><path d="M8 20h8M12 16v4"/>'),
  icon(
    'light',
    '<circle cx="12" cy="12" r="4"/><path d="M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M6.3 17.7l-1.4 1.4M19.1 4.9l-1.4 1.4"/>',
  ),
  icon('dark', '<path d="M21 12.8A9 9 0 1 1 11.2 3a7 7 0 0 0 9.8 9.8z"/>'),
];
