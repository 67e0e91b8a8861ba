import { hash } from 'node:crypto';
import { escaped, type Html, html } from '@petstore/http/html.ts';
import type { FastifyReply } from 'fastify';

/** A paragraph of text with `code` in backticks. */
export function paragraph(text: string): Html {
  const parts = text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
  return html`<p>${parts}</p>`;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1b1f; --soft: #5a5d66; --line: #e2e3e8; --paper: #fff;
  --code: #f3f4f7; --link: #0a58ca; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9e9ee; --soft: #a3a6b0; --line: #33353d;
  --paper: #131417; --code: #202228; --link: #86b7fe; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 3rem 1.25rem 5rem; }
nav { font-size: .9rem; margin-bottom: 2.5rem; }
a { color: var(--link); text-underline-offset: .15em; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
.lead { color: var(--soft); font-size: 1.1rem; margin: 0 0 2rem; }
code, pre { font: .9em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  background: var(--code); border-radius: .3rem; }
code { padding: .1em .35em; overflow-wrap: anywhere; }
pre { padding: 1rem; overflow-x: auto; }
pre code { padding: 0; background: none; overflow-wrap: normal; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .55rem .75rem .55rem 0; border-top: 1px solid var(--line);
  vertical-align: top; }
th { font-weight: 600; border-top: 0; }
td code { overflow-wrap: normal; }
@media (max-width: 30rem) { td, th { padding-right: .5rem; } td code { padding: 0; background: none; } }
td:first-child { color: var(--soft); font-variant-numeric: tabular-nums; }
`;

/** Sends a page for people. It may load its own style and nothing else. `style`: what it needs beyond that of all pages. */
export function sendPage(reply: FastifyReply, title: string, body: Html, style = ''): FastifyReply {
  const styles = STYLE + style;
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${styles}</style>
</head>
<body>
<main>
${body.text}
</main>
</body>
</html>
`;
  return reply
    .headers({
      ...PAGE_HEADERS,
      'content-security-policy': `default-src 'none'; style-src '${styleHash(styles)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    })
    .send(page);
}

function styleHash(styles: string): string {
  return `sha256-${hash('sha256', styles, 'base64')}`;
}

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  // A window of another site that opened the page, or was opened by it, cannot access it.
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // For browsers that do not know frame-ancestors.
  'x-frame-options': 'DENY',
} as const;
