import { type Html, html } from '@petstore/http/html.ts';
import { isMethod } from '../openapi/methods.ts';
import { isObject, type Schema, textOf } from '../openapi/openapi-types.ts';
import { resolveReference } from '../openapi/references.ts';
import { bodyContent } from './body-html.ts';
import { box, boxes, type Page, section, textBlock } from './page-parts.ts';
import { responseList } from './responses-html.ts';

const MAX_CALLBACKS = 30;

/** The requests that the API sends in return. */
export function callbacksHtml(page: Page, operation: Schema): Html {
  const { document } = page.context;
  const all = Object.entries(isObject(operation.callbacks) ? operation.callbacks : {}).flatMap(
    ([name, given]) => {
      const callback = resolveReference(document, given);
      return Object.entries(isObject(callback) ? callback : {}).flatMap(([expression, value]) => {
        const item = resolveReference(document, value);
        return Object.entries(isObject(item) ? item : {})
          .filter(([method]) => isMethod(method))
          .map(([method, called]) => ({
            name,
            expression,
            method,
            called: isObject(called) ? called : {},
          }));
      });
    },
  );
  if (all.length === 0) return html``;
  const list = all.slice(0, MAX_CALLBACKS).map(({ name, expression, method, called }) => {
    const title = textOf(called.summary) || name;
    const id = `${name}.${method}`;
    const payload = bodyContent(page, called, 'response', id);
    const responses = responseList(page, called, `${id}.`);
    const label = html`<span class="method method-${method}">${method.toUpperCase()}</span> <b>${title}</b>`;
    return box(
      label,
      html`<p class="ref-media"><code>${expression}</code></p>${textBlock(page, textOf(called.description))}${payload.text === '' ? '' : html`<h3>Payload</h3>${payload}`}${responses.text === '' ? '' : html`<h3>Expected responses</h3>${responses}`}`,
    );
  });
  return section(page, 'callbacks', 'Callbacks', boxes(list));
}
