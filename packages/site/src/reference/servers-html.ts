import { type Html, html } from '@petstore/http/html.ts';
import { isObject, type Schema, textOf } from '../openapi/openapi-types.ts';
import { titleText } from '../openapi/title-text.ts';
import { type Page, section, textBlock, valueCode } from './page-parts.ts';

import { factList } from './value-html.ts';

const MAX_SERVERS = 50;
const MAX_VARIABLES = 30;
const MAX_VALUES = 50;

/** The servers of an object that its page shows; none where it names none. */
export function shownServers({ servers }: Schema): Schema[] {
  const all = (Array.isArray(servers) ? servers : []).filter(isObject).slice(0, MAX_SERVERS);
  // A document without servers is given this one when it is upgraded.
  const isEmpty = all.every(({ url, description }) => url === '/' && !description);
  return isEmpty ? [] : all;
}

/** What the section of so many servers is called. */
export const serversTitle = ({ length }: readonly Schema[]): string =>
  length > 1 ? 'Servers' : 'Server';

/** The servers of an object, with their variables, as a section; nothing where it names none. */
export function serversHtml(page: Page, object: Schema): Html {
  const servers = shownServers(object);
  if (servers.length === 0) return html``;
  const rows = servers.map((server) => {
    const variables = Object.entries(isObject(server.variables) ? server.variables : {});
    const list = variables
      .slice(0, MAX_VARIABLES)
      .map(([name, given]) => variableHtml(page, name, given));
    const name = titleText(server.name);
    return html`<li><p class="ref-name"><b>${textOf(server.url)}</b>${name === '' ? '' : html` <span class="ref-type">${name}</span>`}</p>${textBlock(page, textOf(server.description))}${list.length > 0 ? html`<ul class="ref-rows">${list}</ul>` : ''}</li>`;
  });
  return section(page, 'servers', serversTitle(servers), html`<ul class="ref-rows">${rows}</ul>`);
}

function variableHtml(page: Page, name: string, given: unknown): Html {
  const variable = isObject(given) ? given : {};
  const values = (Array.isArray(variable.enum) ? variable.enum : []).slice(0, MAX_VALUES);
  const facts = [
    ...(variable.default === undefined ? [] : [html`Default ${valueCode(variable.default)}`]),
    ...(values.length > 0
      ? [html`One of${values.map((value) => html` ${valueCode(value)}`)}`]
      : []),
  ];
  return html`<li><p class="ref-name"><b>{${name}}</b></p>${textBlock(page, textOf(variable.description))}${factList(facts)}</li>`;
}
