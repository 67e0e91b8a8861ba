import { html } from '@petstore/reference/html.ts';
import { TYPES } from './media-types.ts';
import type { SiteFile } from './site-file.ts';

/** What every site has unless it brings its own: the page for what is missing, and the icon. */
export function commonFiles(title: string): SiteFile[] {
  return [
    { path: '/404.html', type: TYPES.html, content: notFoundPage(title) },
    { path: '/favicon.svg', type: TYPES.svg, content: ICON },
  ];
}

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0a58ca"/><path d="M9 9h9l5 5v9H9z" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/><path d="M13 17h6M13 20h6" stroke="#fff" stroke-width="2"/></svg>
`;

function notFoundPage(title: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Not found · ${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>
:root { color-scheme: light dark; --ink: #1b1b1f; --soft: #5a5d66; --paper: #fff; --link: #0a58ca; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9e9ee; --soft: #a3a6b0; --paper: #0f0f0f; --link: #86b7fe; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 32rem; margin: 0 auto; padding: 18vh 1.25rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .5rem; }
p { color: var(--soft); margin: 0 0 1.5rem; }
a { color: var(--link); text-underline-offset: .15em; }
</style>
</head>
<body>
<main>
<h1>There is no such page</h1>
<p>It may have moved, or the address has a typing error.</p>
<a href="/">${title}</a>
</main>
</body>
</html>
`.text;
}
