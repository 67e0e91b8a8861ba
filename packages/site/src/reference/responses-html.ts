import { STATUS_CODES } from 'node:http';
import { type Html, html } from '@petstore/http/html.ts';
import { isObject, type Schema, textOf } from '../openapi/openapi-types.ts';
import { modelName, resolveReference } from '../openapi/references.ts';
import { contentHtml } from './body-html.ts';
import { firstSentence } from './first-sentence.ts';
import { linksHtml } from './links-html.ts';
import {
  box,
  boxes,
  claimId,
  fragment,
  modelLink,
  type Page,
  section,
  textBlock,
} from './page-parts.ts';
import { headersHtml } from './parameters-html.ts';
import { shapeOf } from './shape.ts';

const MAX_RESPONSES = 60;

/** In letters: a longer description of a response stands below its line. */
const MAX_LINE = 140;

/** What a line of plain words loses. */
const BLOCKS = /<(?:a|li|pre|td|img)\b/;

/** The responses of an operation by status, each in a box; the first success is open. */
export function responsesHtml(page: Page, operation: Schema): Html {
  const list = responseList(page, operation, '');
  return list.text === '' ? list : section(page, 'responses', 'Responses', list);
}

/** The boxes alone. `prefix`: what their ids begin with. */
export function responseList(page: Page, operation: Schema, prefix: string): Html {
  const all = Object.entries(isObject(operation.responses) ? operation.responses : {})
    .filter(([status]) => !status.startsWith('x-'))
    .map(([status, given]) => ({
      status,
      given,
      response: resolveReference(page.context.document, given),
    }));
  if (all.length === 0) return html``;
  const success =
    all.find(({ status }) => /^2/.test(status)) ?? all.find(({ status }) => status === 'default');
  const opensAll = operation['x-expandAllResponses'] === true;
  const before = new Map<unknown, string>();
  const list = all.slice(0, MAX_RESPONSES).map((one) => {
    const response = isObject(one.response) ? one.response : {};
    const id = claimId(page, `${prefix}${one.status}`);
    const isOpen = prefix === '' && (opensAll || one === success);
    return responseBox(page, { ...one, response, id, isOpen, before });
  });
  const more = all.length - list.length;
  if (more > 0) page.context.warn(`The page leaves out ${more} responses.`, page.place);
  return html`${boxes(list)}${more > 0 ? html`<p class="ref-cut">… and ${more} more responses.</p>` : ''}`;
}

interface Box {
  readonly status: string;
  readonly given: unknown;
  readonly response: Schema;
  readonly id: string;
  readonly isOpen: boolean;
  /** The ids of the boxes that have shown a body already. */
  readonly before: Map<unknown, string>;
}

function responseBox(page: Page, { status, given, response, id, isOpen, before }: Box): Html {
  const { descriptions } = page.context;
  const said = isObject(given) ? textOf(given.description) : '';
  const description = (said || textOf(response.description)).trim();
  const plain = descriptions.plain(description);
  // OpenAPI 3.2 has it for lists.
  const ofReference = isObject(given) ? textOf(given.summary) : '';
  const summary = descriptions.plain(ofReference || textOf(response.summary));
  const line =
    summary ||
    (plain.length <= MAX_LINE ? plain : firstSentence(plain, MAX_LINE)) ||
    STATUS_CODES[status];
  const text = textBlock(page, description);
  const isSaid = plain === '' || (line === plain && !BLOCKS.test(text.text));
  const head = html`<span class="ref-status ref-${statusKind(status)}">${status}</span> <span class="ref-line">${line ?? ''}</span>`;
  const headers = headersHtml(page, response.headers, id, 'response');
  const body = bodyOnce(page, response, id, description, before);
  const content = html`${isSaid ? '' : text}${headers.text === '' ? '' : html`<h3>Headers</h3>${headers}`}${headers.text === '' || body.text === '' ? '' : html`<h3>Body</h3>`}${body}${linksHtml(page, response.links)}`;
  return box(head, content, isOpen, id);
}

/** The body of a response; where another one of the page has the same, a link to that. */
function bodyOnce(
  page: Page,
  response: Schema,
  id: string,
  description: string,
  before: Map<unknown, string>,
): Html {
  const { document } = page.context;
  const schemas = Object.values(isObject(response.content) ? response.content : {})
    .map((media) => resolveReference(document, media))
    .map((media) => (isObject(media) ? media.schema : undefined));
  const [schema] = schemas;
  const shape = shapeOf(document, schema);
  const isOne =
    schema !== undefined && schemas.every((one) => shapeOf(document, one).source === shape.source);
  const first = isOne ? before.get(shape.source) : undefined;
  if (first !== undefined && isObject(schema)) {
    const name = modelName(schema.$ref);
    const types = Object.keys(response.content as object).map(
      (type) => html` <code>${type}</code>`,
    );
    return html`<p class="ref-media">${types}</p><p class="ref-same">${name === undefined ? 'The same' : modelLink(page, name)}, as of <a href="${fragment(first)}">${first}</a></p>`;
  }
  if (isOne) before.set(shape.source, id);
  return contentHtml(page, response.content, { purpose: 'response', prefix: id, description });
}

export function statusKind(status: string): string {
  const [, digit = ''] = /^([2-5])(?:\d\d|XX)$/i.exec(status) ?? [];
  return digit === '' ? 'other' : `${digit}xx`;
}
