import { type Html, html } from '@petstore/http/html.ts';

/** One of several contents, of which a reader chooses one. */
export interface Tab {
  readonly label: Html;
  readonly content: Html;
  /** For the page's script: attributes of the label, by their names without `data-`. */
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Contents beside each other that need no script: each is behind the radio button before it. `group` is a name that no
 * other has in the page.
 */
export function tabs(group: string, title: string, all: readonly Tab[], kind = ''): Html {
  return html`<div class="ref-tabs${kind && ` ${kind}`}" role="group" aria-label="${title}"><span class="ref-tabs-title">${title}</span>${all.map(
    ({ label, content, data = {} }, at) =>
      html`<label${Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`)}><input type="radio" name="${group}" autocomplete="off"${at === 0 ? html` checked` : ''}>${label}</label><div>${content}</div>`,
  )}</div>
`;
}
