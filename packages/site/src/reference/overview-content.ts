import { type Html, html } from '@petstore/http/html.ts';
import { count } from '@petstore/service/text.ts';
import { isObject, type Schema, textOf } from '../openapi/openapi-types.ts';
import { hrefOf } from '../site/site-files.ts';
import { badges } from './badges.ts';
import { docsHtml } from './operation-content.ts';
import {
  outsideLink,
  type Page,
  section,
  startPage,
  TOP_HEADING,
  textBlock,
  valueCode,
} from './page-parts.ts';
import type { ReferenceContext } from './reference-context.ts';
import { schemesHtml } from './security-html.ts';
import { serversHtml } from './servers-html.ts';
import { tagList, tagRow } from './tag-list.ts';

/** The content of the page that introduces the document. */
export function overviewContent(context: ReferenceContext): Html {
  const { document } = context;
  const info = isObject(document.info) ? document.info : {};
  const page = startPage(context, '/info', 0);
  const { summary, description, version } = Object.fromEntries(
    ['summary', 'description', 'version'].map((name) => [name, textOf(info[name])]),
  ) as Record<string, string>;
  const about = { ...page, place: '/info/description' };
  return html`<header class="ref-head"><h1>${context.title}</h1>${summary ? html`<p class="docs-lead">${summary}</p>` : ''}${badges(info)}
${downloads(context, version ?? '', info)}</header>
<div class="ref-main">
${textBlock(about, description ?? '', TOP_HEADING)}${docsHtml(document)}
${serversHtml(page, document)}${schemesHtml(page)}${tagsHtml(page)}</div>`;
}

/** The version, where the document can be had, and who is responsible for it. */
function downloads({ downloads: paths }: ReferenceContext, version: string, info: Schema): Html {
  const [contact, licence] = [info.contact, info.license].map((one) =>
    isObject(one) ? one : {},
  ) as [Schema, Schema];
  const facts = [
    ...(version ? [html`Version ${valueCode(version)}`] : []),
    html`<a href="${paths.json}">OpenAPI as JSON</a>`,
    html`<a href="${paths.yaml}">as YAML</a>`,
    ...contactFacts(contact),
    ...(textOf(licence.name) ? [html`Licence ${licenceHtml(licence)}`] : []),
    ...(textOf(info.termsOfService)
      ? [outsideLink(textOf(info.termsOfService), 'Terms of service')]
      : []),
  ];
  return html`<ul class="ref-facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`;
}

function contactFacts(contact: Schema): Html[] {
  const [name, url, email] = ['name', 'url', 'email'].map((one) => textOf(contact[one])) as [
    string,
    string,
    string,
  ];
  const who = url ? outsideLink(url, name || url) : name ? html`${name}` : undefined;
  return [
    ...(who ? [html`Contact ${who}`] : []),
    ...(/^[^\s@]+@[^\s@]+$/.test(email) ? [outsideLink(`mailto:${email}`, email)] : []),
  ];
}

function licenceHtml({ name, url, identifier }: Schema): Html {
  if (textOf(url)) return outsideLink(textOf(url), textOf(name));
  const id = textOf(identifier);
  return id
    ? outsideLink(
        `https://spdx.org/licenses/${encodeURIComponent(id.toWellFormed())}.html`,
        textOf(name),
      )
    : html`${textOf(name)}`;
}

/** The tags by their groups, and the pages of webhooks and models. */
function tagsHtml(page: Page): Html {
  const { addresses, document } = page.context;
  const groups = Map.groupBy(addresses.tags, ({ group }) => group);
  const isGrouped = [...groups.keys()].some((group) => group !== undefined);
  const lists = [...groups].map(([group, tags]) => {
    const title = isGrouped ? html`<h3>${group ?? 'More'}</h3>` : '';
    const outermost = tags.filter(({ parent }) => parent === undefined);
    return html`${title}${tagList(page, outermost)}`;
  });
  const { webhooks, modelsPath, models } = addresses;
  const components = isObject(document.components) ? document.components : {};
  const others = [
    ...(webhooks ? [tagRow(page, webhooks)] : []),
    ...(modelsPath !== undefined && isObject(components.schemas)
      ? [
          html`<li><a href="${hrefOf(modelsPath)}"><b>Models</b> <span>${count(models.length, 'model')}</span></a></li>`,
        ]
      : []),
  ];
  return html`${lists.length > 0 ? section(page, 'operations', 'Operations', lists) : ''}${others.length > 0 ? section(page, 'more', 'More', html`<ul class="ref-list">${others}</ul>`) : ''}`;
}
