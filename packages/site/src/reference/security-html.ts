import { type Html, html } from '@petstore/http/html.ts';
import { count } from '@petstore/service/text.ts';
import { isObject, type Schema, textOf } from '../openapi/openapi-types.ts';
import { requirementsOf, schemeNames, securityScheme } from '../openapi/security.ts';
import { schemeWords } from '../openapi/security-words.ts';
import { FLOW_NAMES } from '../request/flow-names.ts';
import { hrefOf } from '../site/site-files.ts';
import {
  claimId,
  fragment,
  outsideLink,
  type Page,
  section,
  textBlock,
  valueCode,
} from './page-parts.ts';

const MAX_ALTERNATIVES = 20;
const MAX_SCHEMES = 50;
const MAX_SCOPES = 500;

/** How many scopes of a flow are seen at once. */
const FEW_SCOPES = 12;

/** What an operation needs of its caller, in words. */
export function securityHtml(page: Page, operation: Schema): Html {
  const { document } = page.context;
  const all = requirementsOf(document, operation).slice(0, MAX_ALTERNATIVES);
  if (all.length === 0) {
    // Said only where it is an exception.
    return requirementsOf(document, {}).length > 0
      ? section(page, 'authentication', 'Authentication', html`<p>None is needed.</p>`)
      : html``;
  }
  const needs = all.filter((one) => Object.keys(one).length > 0);
  if (needs.length === 0) return html``;
  const rows = needs.map(
    (alternative) =>
      html`<li>${Object.entries(alternative).map(([name, scopes], at) =>
        needHtml(page, name, scopes, at > 0),
      )}</li>`,
  );
  const isOptional = needs.length < all.length;
  const words =
    needs.length > 1
      ? html`<p class="ref-choice">One of these${isOptional ? ', or none' : ''}</p>`
      : '';
  const none =
    isOptional && needs.length === 1 ? html`<p class="ref-cut">It also works without.</p>` : '';
  return section(
    page,
    'authentication',
    'Authentication',
    html`${words}<ul class="ref-rows">${rows}</ul>${none}`,
  );
}

const deprecatedFlag = ({ deprecated }: Schema): Html =>
  deprecated === true ? html` <span class="ref-flag">deprecated</span>` : html``;

function needHtml(page: Page, name: string, scopes: unknown, isMore: boolean): Html {
  const scheme = schemeOf(page, name);
  const needed = (Array.isArray(scopes) ? scopes : []).filter((one) => typeof one === 'string');
  const words = scopeWords(scheme);
  const items = needed
    .slice(0, MAX_SCOPES)
    .map((scope) => html`<dt><code>${scope}</code></dt><dd>${words.get(scope) ?? ''}</dd>`);
  const noun = scheme.type === 'oauth2' || scheme.type === 'openIdConnect' ? 'scope' : 'role';
  const more =
    items.length === 0 ? '' : items.length === 1 ? ` with the ${noun}` : ` with the ${noun}s`;
  const list = items.length > 0 ? html`<dl class="ref-enum">${items}</dl>` : '';
  const href = `${hrefOf(page.context.addresses.overview)}${fragment(schemeId(name))}`;
  return html`<p class="ref-name">${isMore ? html`<span class="ref-type">and</span> ` : ''}<a href="${href}">${name}</a> <span class="ref-type">${inWords(scheme)}${more}</span>${deprecatedFlag(scheme)}</p>${list}`;
}

const schemeId = (name: string) => `security-${name.replace(/\s+/g, '_')}`;

const schemeOf = ({ context }: Page, name: string): Schema =>
  securityScheme(context.document, name) ?? {};

/** `API key in the header X-Api-Key`. */
function inWords(scheme: Schema): Html {
  const { text, name } = schemeWords(scheme);
  return name === undefined ? html`${text}` : html`${text} ${valueCode(name)}`;
}

function scopeWords({ flows }: Schema): ReadonlyMap<string, string> {
  const all = Object.values(isObject(flows) ? flows : {}).filter(isObject);
  return new Map(
    all.flatMap(({ scopes }) =>
      Object.entries(isObject(scopes) ? scopes : {}).map(([name, text]): [string, string] => [
        name,
        textOf(text),
      ]),
    ),
  );
}

/** A security scheme with its id in the page of all of them. */
export interface ShownScheme {
  readonly name: string;
  readonly scheme: Schema;
  readonly id: string;
}

/** The security schemes that the page of all of them shows. Claims their ids. */
export function shownSchemes(page: Page): ShownScheme[] {
  return schemeNames(page.context.document)
    .slice(0, MAX_SCHEMES)
    .map((name) => ({ name, scheme: schemeOf(page, name), id: claimId(page, schemeId(name)) }));
}

/** All security schemes of the document, each with what it takes to use it. */
export function schemesHtml(page: Page): Html {
  const rows = shownSchemes(page).map(({ name, scheme, id }) => {
    return html`<li id="${id}"><p class="ref-name"><b>${name}</b> <span class="ref-type">${inWords(scheme)}</span>${deprecatedFlag(scheme)}</p>${textBlock(page, textOf(scheme.description))}${discovery(scheme)}${flowsHtml(scheme)}</li>`;
  });
  return rows.length === 0
    ? html``
    : section(page, 'authentication', 'Authentication', html`<ul class="ref-rows">${rows}</ul>`);
}

function discovery({ openIdConnectUrl, oauth2MetadataUrl }: Schema): Html {
  const [url, metadata] = [textOf(openIdConnectUrl), textOf(oauth2MetadataUrl)];
  const facts = [
    ...(url === '' ? [] : [html`<li>Discovery ${outsideLink(url)}</li>`]),
    ...(metadata === '' ? [] : [html`<li>Server metadata ${outsideLink(metadata)}</li>`]),
  ];
  return facts.length === 0 ? html`` : html`<ul class="ref-facts">${facts}</ul>`;
}

const ADDRESSES: readonly (readonly [name: string, words: string])[] = [
  ['authorizationUrl', 'Authorization'],
  ['deviceAuthorizationUrl', 'Device authorization'],
  ['tokenUrl', 'Token'],
  ['refreshUrl', 'Refresh'],
];

function flowsHtml({ flows }: Schema): Html {
  const given = isObject(flows) ? flows : {};
  return html`${Object.entries(FLOW_NAMES).map(([name, title]) => {
    const flow = given[name];
    if (!isObject(flow)) return html``;
    const addresses = ADDRESSES.filter(([address]) => textOf(flow[address]) !== '').map(
      ([address, words]) => html`<li>${words} <code>${textOf(flow[address])}</code></li>`,
    );
    return html`<p class="ref-choice">${title}</p><ul class="ref-facts">${addresses}</ul>${scopesHtml(flow)}`;
  })}`;
}

function scopesHtml({ scopes }: Schema): Html {
  const all = Object.entries(isObject(scopes) ? scopes : {});
  if (all.length === 0) return html``;
  const rows = all
    .slice(0, MAX_SCOPES)
    .map(([name, text]) => html`<dt><code>${name}</code></dt><dd>${textOf(text)}</dd>`);
  const list = html`<dl class="ref-enum">${rows}</dl>`;
  return all.length <= FEW_SCOPES
    ? list
    : html`<details class="ref-more"><summary>${count(all.length, 'scope')}</summary>${list}</details>`;
}
