import type { SiteFrame } from './frame.ts';
import { TYPES } from './media-types.ts';
import { notFoundPageHtml } from './page-layout.ts';
import type { SiteFile } from './site-files.ts';

/** Files that every site has unless it brings its own: the page for missing paths, and the icon. */
export function commonFiles(frame: SiteFrame): SiteFile[] {
  return [
    { path: '/404.html', type: TYPES.html, content: notFoundPageHtml(frame) },
    { path: '/favicon.svg', type: TYPES.svg, content: ICON },
  ];
}

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0a58ca"/><path d="M9 9h9l5 5v9H9z" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/><path d="M13 17h6M13 20h6" stroke="#fff" stroke-width="2"/></svg>
`;
