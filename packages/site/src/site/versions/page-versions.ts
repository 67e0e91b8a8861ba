import { type Html, html } from '@petstore/http/html.ts';

/** The versions of a site, as a page of one of them shows them. */
export interface PageVersions {
  /** In the order of the list, the newest first. */
  readonly all: readonly PageVersion[];
  /** The one that the page is of. */
  readonly current: PageVersion;
  /** Which the site's address leads to. */
  readonly standard: PageVersion;
}

export interface PageVersion {
  /** What readers read: its name, or `Latest` for what has none. */
  readonly title: string;
  readonly state: 'default' | 'preview' | 'old';
  /** The address of the same page in it, or of its start page. */
  readonly href: string;
  /** Whether it has the same page. */
  readonly hasPage: boolean;
}

/** A page with the list of versions in its header, and above that what is to be said of its own. */
export function withVersions(page: string, versions: PageVersions): string {
  let found = page;
  // What authors write comes later in a page, and can have no such tags.
  const insert = (before: string, text: string) => {
    const at = found.indexOf(before);
    if (at !== -1) found = found.slice(0, at) + text + found.slice(at);
  };
  insert('<header class="site-header">', versionNote(versions).text);
  insert('<button type="button" class="site-search"', versionList(versions).text);
  return found;
}

const WORDS = { default: 'current', preview: 'not released', old: '' } as const;

/** The choice of a version: links, so that it needs no script. */
function versionList({ all, current }: PageVersions): Html {
  const items = all.map((one) => {
    const { title, href, state, hasPage } = one;
    const said = [WORDS[state], hasPage ? '' : 'start page']
      .filter((word) => word !== '')
      .join(', ');
    return html`<li><a href="${href}"${one === current ? html` aria-current="true"` : ''}><span>${title}</span>${said && html` <small>${said}</small>`}</a></li>`;
  });
  return html`<details class="site-versions"><summary aria-label="Version ${current.title}"><span>${current.title}</span></summary><ul>${items}</ul></details>
`;
}

/** Says at the top of a page that its version is not the current one, with the way there; nothing on pages of that. */
function versionNote({ current, standard }: PageVersions): Html {
  if (current.state === 'default') return html``;
  const said =
    current.state === 'old'
      ? html`You are reading an old version, <b>${current.title}</b>.`
      : html`You are reading <b>${current.title}</b>, which is not released yet.`;
  const way = standard.hasPage
    ? html`<a href="${standard.href}">See this page in the current version, ${standard.title}</a>`
    : html`The current version, ${standard.title}, has no such page: <a href="${standard.href}">see its start page</a>`;
  return html`<aside class="site-version-note site-version-${current.state}" aria-label="Version">${said} ${way}.</aside>
`;
}
