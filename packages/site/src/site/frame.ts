import { Html, html } from '@petstore/http/html.ts';
import { CHANGELOG } from '../changelog/changelog-paths.ts';
import { REFERENCE_LIST, type ReferenceAddresses } from '../reference/addresses.ts';
import type { SourceLinks } from '../repository/source-links.ts';
import type { SiteAssets } from './assets.ts';
import { iconed } from './guide-list.ts';
import { positionOf, type SiteTab } from './navigation.ts';
import type { SitePreviews } from './preview/site-previews.ts';
import { readersMeta } from './readers/feedback-form.ts';
import { hrefOf, type SiteFile } from './site-files.ts';
import type { ThemeFiles } from './theme.ts';

/** What all pages of a site have in common. */
export interface SiteFrame {
  readonly title: string;
  /** Paths of the archive. */
  readonly logo: { readonly light: string; readonly dark: string } | undefined;
  /** A path of the archive; undefined for `/favicon.svg`, the site's own or one that is drawn for it. */
  readonly favicon: string | undefined;
  /** The parts of the site, in its header. */
  readonly links: readonly SiteLink[];
  /**
   * The guides, in one tab without a title where they have none; empty where the site is a document's reference alone.
   */
  readonly tabs: readonly SiteTab[];
  /** The references of its documents. */
  readonly references: readonly ListedReference[];
  readonly assets: SiteAssets;
  readonly theme: ThemeFiles;
  /** The preview images of its pages; undefined where the site does not know its own address. */
  readonly previews: SitePreviews | undefined;
  /** The documented API itself serves the site, so all names of this machine mean the same. */
  readonly isServedByApi: boolean;
  /** Whether its pages ask if they were helpful. */
  readonly hasFeedback: boolean;
  /** Where the files are that pages are made from. */
  readonly source: SourceLinks;
  /** A line above the header of every page. */
  readonly announcement: Announcement | undefined;
  /** Links to other places, at the end of the header and at the end of each page. */
  readonly headerLinks: readonly OutsideLink[];
  readonly footerLinks: readonly OutsideLink[];
  /** Whether it has a changelog. */
  readonly hasChangelog: boolean;
}

interface Announcement {
  readonly text: string;
  /** A path of the site, or an address. */
  readonly link: string | undefined;
}

interface OutsideLink {
  readonly title: string;
  /** A path of the site, or an address. */
  readonly url: string;
}

export interface SiteLink {
  readonly title: string;
  readonly path: string;
}

/** A reference, as lists name it. */
export interface ListedReference {
  readonly title: string;
  readonly addresses: ReferenceAddresses;
}

/** Where the references of a site can be had: at their list, or of the only one at its introduction. */
export function referenceHome(references: readonly ListedReference[]): string | undefined {
  const [first] = references;
  return first?.addresses.address === undefined ? first?.addresses.overview : REFERENCE_LIST.path;
}

/** Where a page is in its site, for the list at its side. */
export interface Place {
  /** The page's own path. */
  readonly path: string;
  /** Which list the page belongs to; undefined for a page in neither, which shows both. */
  readonly part: 'guides' | 'reference' | undefined;
  /** Of a page of a reference: which one. The list of all has none. */
  readonly reference?: ReferenceAddresses;
}

/** The files that every page of the site loads. */
export function frameFiles({ assets, theme }: SiteFrame): SiteFile[] {
  return [
    ...assets.files,
    ...[theme.style, theme.ownStyle].filter((file) => file !== undefined),
    ...theme.fonts,
  ];
}

/** The elements that the heads of all pages have in common. */
export function frameHead({
  assets,
  theme,
  isServedByApi,
  announcement,
  favicon,
  hasChangelog,
}: SiteFrame): Html {
  const { style, ownStyle, preloaded } = theme;
  return html`<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#ffffff" data-scheme="light" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0f1116" data-scheme="dark" media="(prefers-color-scheme: dark)">
<meta name="panel-style" content="${assets.panelStyle}">
${
  isServedByApi
    ? html`<meta name="api-here">
`
    : readersMeta
}${
  // The script after it hides an announcement that the reader has closed, before the page is drawn.
  announcement
    ? html`<meta name="announcement" content="${announcement.text}">
`
    : ''
}${iconLink(favicon)}
${hasChangelog ? FEEDS : ''}<script src="${assets.theme}"></script>
<link rel="stylesheet" href="${assets.siteStyle}">
${styleLink(style)}${styleLink(ownStyle)}${preloaded ? html`<link rel="preload" href="${preloaded.path}" as="font" type="font/woff2" crossorigin>` : ''}<script type="module" src="${assets.siteScript}"></script>`;
}

const FEEDS = html`<link rel="alternate" type="application/atom+xml" title="${CHANGELOG.title}" href="${CHANGELOG.atom}">
<link rel="alternate" type="application/feed+json" title="${CHANGELOG.title}" href="${CHANGELOG.json}">
`;

function iconLink(favicon: string | undefined): Html {
  const path = favicon === undefined ? '/favicon.svg' : `/${favicon}`;
  return html`<link rel="icon" href="${hrefOf(path)}"${path.endsWith('.svg') ? html` type="image/svg+xml"` : ''}>`;
}

const styleLink = (file: SiteFile | undefined) =>
  file ? html`<link rel="stylesheet" href="${file.path}">` : '';

/** The id of the page's content, which the skip link leads to. */
export const CONTENT_ID = 'layout-content';

/** The beginning of every page. `current` is the path of the current part of the site. */
export function frameHeader(frame: SiteFrame, current: string, tab: SiteTab | undefined): Html {
  return html`<a class="site-skip" href="#${CONTENT_ID}">Skip to content</a>
${announcementBar(frame)}<header class="site-header"><div class="site-bar">
<button type="button" class="site-button site-menu" aria-label="Pages" aria-expanded="false" aria-controls="layout-nav">${MENU}</button>
<a class="site-brand" href="/">${brand(frame)}</a>
<button type="button" class="site-search" aria-haspopup="dialog" aria-keyshortcuts="Control+K /">${SEARCH}<span>Search</span><kbd aria-hidden="true">Ctrl K</kbd></button>
<nav class="site-links" aria-label="Site">${siteLinks(frame, current)}</nav>
<button type="button" class="site-button site-theme" aria-label="Colours">${THEMES}</button>
</div>${tabBar(frame, tab)}</header>`;
}

/** The tabs of a site that has some, below the header's bar. Narrow screens have them in the list of pages. */
function tabBar(frame: SiteFrame, current: SiteTab | undefined): Html {
  if (!hasTabs(frame)) return html``;
  return html`<nav class="site-tabs" aria-label="Parts"><ul>${tabItems(frame, current)}</ul></nav>
`;
}

export const hasTabs = ({ tabs }: SiteFrame): boolean =>
  tabs.some(({ title }) => title !== undefined);

/** The tabs as items of a list. */
export function tabItems({ tabs }: SiteFrame, current: SiteTab | undefined): Html[] {
  return tabs.map(
    ({ title = '', icon, href }, at) =>
      html`<li><a href="${href}"${tabs[at] === current ? html` aria-current="true"` : ''}>${iconed({ title, icon })}</a></li>`,
  );
}

/** The tab that a page is in; undefined where it is in none. */
export function tabOf({ tabs }: SiteFrame, { path, part, reference }: Place): SiteTab | undefined {
  if (part !== 'reference') return positionOf(tabs, path)?.tab;
  const ofReference = tabs.filter((tab) => tab.part === 'reference');
  const own = ofReference.find((tab) => tab.reference === reference?.address);
  return own ?? ofReference.find((tab) => tab.reference === undefined);
}

function announcementBar({ announcement }: SiteFrame): Html {
  if (!announcement) return html``;
  const { text, link } = announcement;
  return html`<aside class="site-announcement" aria-label="Announcement">${link === undefined ? text : html`<a href="${link}">${text}</a>`}<button type="button" class="site-button" aria-label="Close the announcement">${CLOSE}</button></aside>
`;
}

/** The end of every page. */
export function frameFooter({ footerLinks }: SiteFrame): Html {
  if (footerLinks.length === 0) return html``;
  return html`<footer class="site-footer"><nav aria-label="More">${footerLinks.map(outsideLink)}</nav></footer>`;
}

export const outsideLink = ({ title, url }: OutsideLink) => html`<a href="${url}">${title}</a>`;

function siteLinks(frame: SiteFrame, current: string): Html[] {
  const { links, headerLinks } = frame;
  const own = [...(links.length < 2 ? [] : links), ...changelogLink(frame)];
  return [
    ...own.map(({ title, path }) =>
      path === current
        ? html`<a href="${hrefOf(path)}" aria-current="true">${title}</a>`
        : html`<a href="${hrefOf(path)}">${title}</a>`,
    ),
    ...headerLinks.map(outsideLink),
  ];
}

/** The way to the changelog, unless the site's author made one in the header. */
export function changelogLink({ hasChangelog, headerLinks, tabs }: SiteFrame): SiteLink[] {
  const { title, path } = CHANGELOG;
  const isLinked =
    headerLinks.some(({ url }) => url === path) || tabs.some(({ href }) => href === path);
  return hasChangelog && !isLinked ? [{ title, path }] : [];
}

function brand({ title, logo }: SiteFrame): Html {
  if (!logo) return html`<span>${title}</span>`;
  const image = (file: string, name: string) =>
    html`<img class="${name}" src="${hrefOf(`/${file}`)}" alt="${title}">`;
  if (logo.light === logo.dark) return image(logo.light, 'logo');
  return html`${image(logo.light, 'logo-light')}${image(logo.dark, 'logo-dark')}`;
}

// The outlines of Lucide's icons (ISC licence) that pages use.

function icon(name: string, paths: string, size = 18): Html {
  return new Html(
    `<svg class="icon-${name}" width="${size}" height="${size}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`,
  );
}

export const SEARCH = icon('search', '<circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/>', 17);

const MENU = icon('menu', '<path d="M4 6h16M4 12h16M4 18h16"/>', 20);

const CLOSE = icon('close', '<path d="M18 6 6 18M6 6l12 12"/>', 16);

const THEMES = [
  icon('system', '<rect x="3" y="4" width="18" height="12" rx="2"/><path d="M8 20h8M12 16v4"/>'),
  icon(
    'light',
    '<circle cx="12" cy="12" r="4"/><path d="M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M6.3 17.7l-1.4 1.4M19.1 4.9l-1.4 1.4"/>',
  ),
  icon('dark', '<path d="M21 12.8A9 9 0 1 1 11.2 3a7 7 0 0 0 9.8 9.8z"/>'),
];
