import { hash } from 'node:crypto';
import { type Html, html } from '@petstore/http/html.ts';

/** What the pages of a deploy say that readers of the live site do not see. */
export interface PreviewBar {
  /** The branch whose preview it is; undefined: none. */
  readonly branch: string | undefined;
  /** The number of the deploy. */
  readonly number: number;
  /** The version of the site that the deploy is of; undefined: none. */
  readonly version: string | undefined;
  /** When it was deployed: milliseconds since 1970. */
  readonly deployedAt: number;
  /** Where the live site is; undefined: nothing is live. */
  readonly live: LivePage | undefined;
  /** The page of the deploy in the dashboard. */
  readonly dashboard: string;
  /** That page asks whether to put the deploy live; otherwise it never can be. */
  readonly canGoLive: boolean;
}

export interface LivePage {
  readonly href: string;
  /** The same page; the start page; or that because the live site has no such page. */
  readonly is: 'same' | 'start' | 'missing';
}

/** A page with the bar above its header, behind the link that skips to the content. */
export function withPreviewBar(page: string, bar: PreviewBar): string {
  // Authors' texts are escaped, and the body begins before them.
  return page
    .replace(/<\/head>/i, (end) => `<style>${STYLE}</style>\n${end}`)
    .replace(
      /<body\b[^>]*>\s*(?:<a class="site-skip"[^>]*>[^<]*<\/a>\s*)?/i,
      (start) => start + inAscii(previewBar(bar).text),
    );
}

/** Pages are filled in by their bytes, so a branch in another alphabet is written in character references. */
const inAscii = (text: string): string =>
  text.replace(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`);

/** A page's policy, which also allows the style of the bar. */
export function policyWithPreviewBar(policy: string): string {
  const directives = policy.split(/\s*;\s*/).filter((directive) => directive !== '');
  const sourcesOf = (name: string) =>
    directives.find((directive) => directive.startsWith(`${name} `))?.slice(name.length + 1);
  const sources = (sourcesOf('style-src') ?? sourcesOf('default-src') ?? '').split(/\s+/);
  // A hash would take back that all styles are allowed (CSP Level 3, section 6.7.3.2).
  if (sources.includes("'unsafe-inline'") || sources[0] === '') return policy;
  const allowed = [...sources.filter((source) => source !== "'none'"), STYLE_SOURCE].join(' ');
  const isStyle = (directive: string) => directive.startsWith('style-src ');
  return [...directives.filter((directive) => !isStyle(directive)), `style-src ${allowed}`].join(
    '; ',
  );
}

function previewBar(bar: PreviewBar): Html {
  const { branch, number, dashboard, canGoLive } = bar;
  const what = branch === undefined ? `Deploy #${number}` : 'Preview';
  return html`<aside class="site-preview" aria-label="Preview"><details open>
<summary><span class="site-preview-hide">Hide</span><span class="site-preview-show">${what}, not live</span></summary>
<div><p>${title(bar)}, deployed ${time(bar.deployedAt)}. <strong>Not live.</strong></p>
<p>${liveLink(bar)}<a href="${dashboard}">${canGoLive ? 'Go live in the dashboard' : 'Open in the dashboard'}</a></p></div>
</details></aside>
`;
}

function title({ branch, number, version }: PreviewBar): Html {
  if (branch !== undefined)
    return html`Preview of branch <bdi class="site-preview-branch">${branch}</bdi>`;
  return html`Deploy #${number}${version === undefined ? '' : html` of version ${version}`}`;
}

const DATE = new Intl.DateTimeFormat('en-GB', {
  ...{ dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' },
});

/** The site's script says how long ago that is. */
function time(at: number): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${DATE.format(at)} UTC</time>`;
}

function liveLink({ live }: PreviewBar): Html {
  if (!live) return html`<span>Nothing is live yet.</span>`;
  const { href, is } = live;
  if (is === 'missing')
    return html`<span>The live site has no such page: <a href="${href}">open its start page</a></span>`;
  return html`<a href="${href}">Open the live ${is === 'same' ? 'page' : 'site'}</a>`;
}

// Colours of its own, which differ from all that is the site's. Deploys of earlier builds have it too, so it is not in their files.
const STYLE = `.site-preview{position:relative;background:#1c2029;color:#eceef2;border-block-end:1px solid #3b4252;font:.875rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;color-scheme:dark}
.site-preview details{max-width:96rem;margin-inline:auto;padding-inline:1.5rem}
.site-preview div{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:.125rem 2rem;padding-block:.5rem}
.site-preview p{margin:0;min-width:0;overflow-wrap:anywhere}
.site-preview p:first-child::before{content:"";display:inline-block;width:.5rem;height:.5rem;margin-inline-end:.625rem;border-radius:50%;background:#f0b429}
.site-preview p:last-child{display:flex;flex-wrap:wrap;gap:.125rem 1.25rem}
.site-preview strong,.site-preview-branch{font-weight:650;color:#fff}
.site-preview a{color:#fff;font-weight:550;text-decoration:underline;text-decoration-color:#8c95a8;text-underline-offset:.22em}
.site-preview a:hover{text-decoration-color:currentcolor}
.site-preview summary{width:fit-content;margin-inline:-.5rem;padding:.125rem .5rem;color:#c3c9d6;list-style:none;cursor:pointer}
.site-preview summary::-webkit-details-marker{display:none}
.site-preview summary:hover{color:#fff}
.site-preview summary::after{content:"";display:inline-block;width:.375rem;height:.375rem;margin-inline-start:.5rem;border:solid currentcolor;border-width:0 1.5px 1.5px 0;rotate:45deg;translate:0 -.1875rem}
.site-preview [open] summary{float:inline-end;margin-inline-start:1rem;padding-block:.5rem}
.site-preview [open] summary::after{rotate:225deg;translate:0 0}
.site-preview [open] .site-preview-show,.site-preview details:not([open]) .site-preview-hide{display:none}
.site-preview :focus-visible{outline:2px solid #fff;outline-offset:2px;border-radius:.25rem}
.site-preview summary:focus-visible{outline-offset:-2px}
@media (max-width:60rem){.site-preview details{padding-inline:1rem}.menu-open .site-preview{display:none}}
@media (max-width:40rem){.site-preview{font-size:.8125rem}.site-preview div{display:block}.site-preview p:last-child{margin-block-start:.125rem;column-gap:1rem}}
@media print{.site-preview{display:none}}
`;

const STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`;
