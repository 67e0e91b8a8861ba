import { type Html, html } from '@petstore/reference/html.ts';
import type { SiteFile } from '../site-file.ts';
import { type SiteAssets, siteAssets } from './assets.ts';
import { MENU, SEARCH, THEMES } from './icons.ts';
import type { SiteGroup, SiteLink } from './menu.ts';
import { hrefOf } from './page-path.ts';

/** What is at the top of every page of a site. */
export interface SiteFrame {
  readonly title: string;
  /** Paths of the archive. */
  readonly logo: { readonly light: string; readonly dark: string } | undefined;
  readonly links: readonly SiteLink[];
  /** Pages; none where a document's reference is all. */
  readonly groups: readonly SiteGroup[];
  readonly accent: SiteFile;
  readonly searchIndex: SiteFile;
}

/** What the head's part refers to. */
export function frameFiles({ accent, searchIndex }: SiteFrame): SiteFile[] {
  return [...siteAssets().files, accent, searchIndex];
}

/** The head's part that pages and the reference have in common. */
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
  /** The path of the link that is marked. */
  readonly current: string;
  /** The id of what the skip link leads to. */
  readonly content: string;
  /** The page takes the screen's whole width, as the reference does. */
  readonly isWide?: boolean;
  /** What this page alone has in its header. */
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
