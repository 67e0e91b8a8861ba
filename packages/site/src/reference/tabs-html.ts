import { type Html, html } from '@petstore/http/html.ts';

/** One of several contents, of which a reader chooses one. */
export interface Tab {
  readonly label: Html;
  readonly content: Html;
  /** The language of a code sample, for the page's script. */
  readonly language?: string;
}

/**
 * Contents beside each other that need no script: each is behind the radio button before it. `group` is a name that no
 * other has in the page.
 */
export function tabs(group: string, title: string, all: readonly Tab[], kind = ''): Html {
  return html`<div class="ref-tabs${kind && ` ${kind}`}" role="group" aria-label="${title}"><span class="ref-tabs-title">${title}</span>${all.map(
    ({ label, content, language }, at) =>
      html`<label${language === undefined ? '' : html` data-language="${language}"`}><input type="radio" name="${group}" autocomplete="off"${at === 0 ? html` checked` : ''}>${label}</label><div>${content}</div>`,
  )}</div>
`;
}
