import { type Html, html } from '@petstore/http/html.ts';
import { isObject, type OperationSummary, type Schema, textOf } from '../openapi/openapi-types.ts';
import { resolveReference } from '../openapi/references.ts';
import { hrefOf } from '../site/site-files.ts';
import { fromPointer } from '../syntax/source.ts';
import { type Page, textBlock, valueCode } from './page-parts.ts';

const MAX_LINKS = 50;

/** The links of a response: what to ask for next, and with which values of this one. */
export function linksHtml(page: Page, links: unknown): Html {
  const all = Object.entries(isObject(links) ? links : {}).slice(0, MAX_LINKS);
  if (all.length === 0) return html``;
  const rows = all.map(([name, given]) => {
    const found = resolveReference(page.context.document, given);
    const link = isObject(found) ? found : {};
    const target = operationOf(page, link);
    const where = target
      ? html`<a href="${hrefOf(page.context.addresses.operation(target))}">${target.title}</a>`
      : html`<span class="ref-type">${textOf(link.operationId) || textOf(link.operationRef)}</span>`;
    const values = Object.entries(isObject(link.parameters) ? link.parameters : {});
    const facts = [
      ...values.map(
        ([parameter, value]) => html`<li><code>${parameter}</code> is ${valueCode(value)}</li>`,
      ),
      ...(link.requestBody === undefined
        ? []
        : [html`<li>The body is ${valueCode(link.requestBody)}</li>`]),
    ];
    return html`<li><p class="ref-name"><b>${name}</b> ${where}</p>${textBlock(page, textOf(link.description))}${facts.length > 0 ? html`<ul class="ref-facts">${facts}</ul>` : ''}</li>`;
  });
  return html`<h3>Links</h3><ul class="ref-rows">${rows}</ul>`;
}

/** The operation that a link names, by its id or by a reference such as `#/paths/~1pets/get`. */
function operationOf({ context }: Page, link: Schema): OperationSummary | undefined {
  const { addresses, checked } = context;
  const id = textOf(link.operationId);
  if (id !== '') return addresses.operationById(id);
  const [part, path, method] = fromPointer(textOf(link.operationRef).replace(/^[^#]*#/, ''));
  if (part !== 'paths') return undefined;
  return checked.operations.find(
    (one) => !one.isWebhook && one.path === path && one.method === method?.toUpperCase(),
  );
}
