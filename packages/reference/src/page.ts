import { readFileSync } from 'node:fs';
import { type Html, html, scriptJson } from '@petstore/http/html.ts';

/** The settings of start.js. */
export interface ReferenceSettings {
  /** The document's name, for the page's title and for the browser's storage of keys. */
  readonly title: string;
  /** The address of the document. */
  readonly documentUrl: string;
  /** The result of `panelSettings`. */
  readonly withoutPanel: readonly string[];
  readonly withPanel: readonly string[];
  /** The name under which the browser stores whether it may keep keys. */
  readonly rememberAs: string;
  /** Whether the page's own header has a search, a switch for the dark mode and the document. */
  readonly isFramed: boolean;
  /** Whether the documented service itself serves the page. Then all names of this machine mean the same. */
  readonly isServedByApi: boolean;
}

export interface ReferencePage {
  readonly title: string;
  /** For search engines. */
  readonly description: string;
  /** HTML above the reference, for elements with the class `bar`. */
  readonly header: Html;
  /** More for the page's head. */
  readonly head?: Html;
  /** The text where scripts don't run. */
  readonly noScript: Html;
  readonly settings: ReferenceSettings;
  /** Addresses of Scalar's script, of start.js and of reference.css. */
  readonly assets: { readonly scalar: string; readonly start: string; readonly style: string };
}

/** The script that runs in the browser, after Scalar's own script. */
export const startScript = read('start.js');

export const referenceStyle = read('reference.css');

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8');
}

/** The checkbox by which a reader lets the browser keep keys; start.js looks for it. */
export const rememberBox: Html = html`<label title="Keeps the API key that you enter in this browser, for this site, until you untick it."><input type="checkbox" id="remember"><span class="remember-long">Remember my key here</span><span class="remember-short">Keep key</span></label>`;

/** The page in which Scalar draws the reference. */
export function referencePage(page: ReferencePage): Html {
  const { title, description, header, head = html``, noScript, settings, assets } = page;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<title>${title}</title>
${head}
<link rel="stylesheet" href="${assets.style}">
<script type="application/json" id="settings">${scriptJson(settings)}</script>
<script src="${assets.scalar}" defer></script>
<script src="${assets.start}" defer></script>
</head>
<body>
${header}
<div id="reference"></div>
<noscript>${noScript}</noscript>
</body>
</html>
`;
}

/** The Content-Security-Policy of the page, which may send requests to `origins` besides its own. */
export function referencePolicy(origins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // Scalar writes its styles into the page.
    "style-src 'self' 'unsafe-inline'",
    ["connect-src 'self'", ...origins].join(' '),
    "img-src 'self' data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
