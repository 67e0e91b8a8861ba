import { type Html, html } from '@petstore/http/html.ts';
import { count, truncate } from '@petstore/service/text.ts';
import { textOf } from '../openapi/openapi-types.ts';
import { hrefOf } from '../site/site-files.ts';
import { wordBreaks } from '../site/word-breaks.ts';
import { box, boxes, claimId, fragment, MAX_NAME, type Page, REQUIRED } from './page-parts.ts';
import { xmlFacts } from './schema-facts.ts';
import { type Purpose, type Row, type SchemaNode, schemaTree } from './schema-tree.ts';
import { typeName } from './schema-type.ts';
import { isMarked, keyword, type Shape } from './shape.ts';
import {
  factList,
  type HeldValue,
  heldValueHtml,
  type ValueHtml,
  valueHtml,
} from './value-html.ts';

export interface SchemaOptions {
  readonly purpose: Purpose;
  /** What the ids of its properties begin with: `body`; empty for a model's own page. */
  readonly prefix: string;
  /** What stands before the type. */
  readonly types?: Html;
  /** Said elsewhere already. */
  readonly description?: string;
  /** Whether the values are written as XML. */
  readonly isXml?: boolean | undefined;
  /** More to say of the properties of the first level. */
  readonly factsFor?: ((property: string) => readonly Html[]) | undefined;
}

/** How many names of properties an id has at most, and up to how many a property links to itself. */
const MAX_ID_NAMES = 4;
const MAX_LINK_NAMES = 2;

/** A schema whose first level has at most so many properties shows the second one, too. */
const FEW_ROWS = 3;

/** A schema in full: its type, what it says of itself, and its members. */
export function schemaHtml(page: Page, schema: unknown, options: SchemaOptions): Html {
  const tree = schemaTree(page, schema, options.purpose);
  const { type, flags, description, facts } = valueHtml(page, tree);
  const said = textOf(keyword(tree.shape, 'description')).trim();
  const isSaid = said === (options.description ?? '').trim();
  // Nobody needs to be told that a body with properties is an object, nor to read twice which alternatives there are.
  const isPlain = tree.rows.length > 0 && typeName(page, tree.shape).text === 'object';
  const isChoice = tree.rows.length === 0 && tree.choices.length === 1 && isOnlyChoice(tree.shape);
  const kind = html`${options.types ?? ''}${isPlain || isChoice ? '' : html` ${type}`}${flags}`;
  return html`${kind.text === '' ? '' : html`<p class="ref-kind">${kind}</p>`}${isSaid ? '' : description}${facts}${writtenAs(tree, options)}${members(page, tree, options)}`;
}

/** How a value, and each item of a list, is written as XML. */
function writtenAs({ shape, element }: SchemaNode, { isXml }: SchemaOptions): Html {
  if (!isXml) return html``;
  const ofItems = shape === element ? [] : xmlFacts(element);
  const items = ofItems.length > 0 ? [html`Each item:`, ...ofItems] : [];
  return factList([...xmlFacts(shape), ...items]);
}

/** Whether the type of a schema is said by its alternatives alone. */
const isOnlyChoice = ({ types, model, isNullable }: Shape) =>
  model === undefined && !isNullable && types.every((type) => type === 'object');

/** The value of a parameter or a header, and its members. */
export function heldSchema(
  page: Page,
  schema: unknown,
  options: SchemaOptions & HeldValue,
): ValueHtml & { readonly members: Html } {
  const node = schemaTree(page, schema, options.purpose);
  return { ...heldValueHtml(page, node, options), members: nested(page, node, options, true) };
}

/** The properties of a schema and its alternatives, or a mark where they are not shown. */
function members(page: Page, node: SchemaNode, options: SchemaOptions): Html {
  if (node.cut !== undefined) return cutMark(page, node);
  const rows = node.rows.map((row) => rowHtml(page, row, options, node));
  const list = rows.length > 0 ? html`<ul class="ref-rows">${rows}</ul>` : html``;
  const cut = node.element.isCut ? cutMark(page, node) : '';
  return html`${list}${moreMark(page, node, node.more, 'property')}${choicesHtml(page, node, options)}${cut}`;
}

function choicesHtml(page: Page, node: SchemaNode, given: SchemaOptions): Html {
  return html`${node.choices.map(({ choices, options: rows, more }) => {
    const words = choices.keyword === 'oneOf' ? 'One of these' : 'One or more of these';
    const by = choices.by === undefined ? '' : html`, told apart by <code>${choices.by}</code>`;
    const options = rows.map((row, at) =>
      optionHtml(page, row, given, at === 0 && node.level === 0),
    );
    return html`<p class="ref-choice">${words}${by}</p>${boxes(options)}${moreMark(page, node, more, 'alternative')}`;
  })}`;
}

function optionHtml(page: Page, row: Row, options: SchemaOptions, isOpen: boolean): Html {
  const { shape } = row.node;
  const { value } = row;
  const title = truncate(textOf(keyword(shape, 'title')) || shape.model || '', MAX_NAME);
  const said = valueHtml(page, row.node);
  const name =
    title === ''
      ? html`<span class="ref-type">${typeName(page, shape)}</span>`
      : html`<b>${wordBreaks(title)}</b>`;
  const means = value === undefined || value === title ? '' : html` <code>${value}</code>`;
  const isSimple = title !== '' && shape.model === undefined && !isObjectLike(shape);
  const type = isSimple ? html` <span class="ref-type">${typeName(page, shape)}</span>` : '';
  const otherwise = row.isDefault
    ? html` <span class="ref-flag">or any other value, or none</span>`
    : '';
  const label = html`${name}${type}${means}${otherwise}${said.flags}`;
  const hasPage =
    shape.model !== undefined && page.context.addresses.model(shape.model) !== undefined;
  const link = hasPage ? html`<p class="ref-kind">${said.type}</p>` : '';
  const content = html`${link}${said.description}${said.facts}${writtenAs(row.node, options)}${members(page, row.node, options)}`;
  return box(label, content, isOpen);
}

const isObjectLike = ({ types }: Shape) => types.length === 0 || types[0] === 'object';

function rowHtml(page: Page, row: Row, options: SchemaOptions, parent: SchemaNode): Html {
  const { kind, node, isRequired } = row;
  const { path } = node;
  const hasId = kind === 'property' && path.length <= MAX_ID_NAMES;
  const id = hasId ? claimId(page, [options.prefix, ...path].filter(Boolean).join('.')) : undefined;
  const name = nameHtml(row, path.length <= MAX_LINK_NAMES ? id : undefined);
  // Where there is little to see at first, the next level is what readers look for.
  const isOpen = parent.level === 0 && parent.rows.length <= FEW_ROWS && kind === 'property';
  const { type, flags, description, facts } = valueHtml(page, node);
  const more = kind === 'property' && node.level === 1 ? (options.factsFor?.(row.name) ?? []) : [];
  return html`<li${id === undefined ? '' : html` id="${id}"`}><p class="ref-name">${name} ${type}${isRequired ? REQUIRED : ''}${flags}</p>${description}${facts}${factList(more)}${writtenAs(node, options)}${nested(page, node, options, isOpen)}</li>
`;
}

/** The members of a value below a control that shows and hides them. */
function nested(page: Page, node: SchemaNode, options: SchemaOptions, isOpen: boolean): Html {
  const inner = members(page, node, options);
  if (inner.text === '' || node.cut !== undefined) return inner;
  return html`<details class="ref-more"${isOpen ? html` open` : ''}><summary>${sizeText(node)}</summary>${inner}</details>`;
}

function nameHtml({ kind, name: full, node }: Row, id: string | undefined): Html {
  const name = wordBreaks(truncate(full, MAX_NAME));
  const mark = isMarked(node.shape, 'deprecated') ? html` class="ref-old"` : '';
  if (kind === 'part') return html`<i>${name}</i>`;
  if (kind === 'other') return html`<b class="ref-any">${name}</b>`;
  if (kind === 'pattern') return html`<b class="ref-any">/${name}/</b>`;
  return id === undefined
    ? html`<b${mark}>${name}</b>`
    : html`<a href="${fragment(id)}"${mark}>${name}</a>`;
}

/** `12 properties`, after “Show” or “Hide”, which the style says. */
function sizeText({ rows, more, choices }: SchemaNode): string {
  const properties = rows.filter(({ kind }) => kind !== 'part').length + more;
  const alternatives = choices.reduce(
    (sum, { options, more: others }) => sum + options.length + others,
    0,
  );
  const sizes = [
    ...(properties > 0 ? [properties === 1 ? '1 property' : `${properties} properties`] : []),
    ...(alternatives > 0 ? [count(alternatives, 'alternative')] : []),
  ];
  return sizes.join(' and ') || 'details';
}

function cutMark({ context, place }: Page, { cut, home }: SchemaNode): Html {
  // The type is a link to its page.
  if (cut === 'model') return html``;
  if (cut === 'recursive') return html`<p class="ref-cut">As above: it contains itself.</p>`;
  const path = home === undefined ? undefined : context.addresses.model(home);
  // Nothing is lost where a model's page goes on.
  if (path === undefined) {
    context.warn(
      'Its schemas are larger or deeper than a page shows: the innermost are left out, with a mark.',
      place,
    );
  }
  const rest =
    path === undefined
      ? html`the <a href="${context.downloads.json}">OpenAPI document</a>`
      : html`the model <a href="${hrefOf(path)}">${home ?? ''}</a>`;
  return html`<p class="ref-cut">… The rest is in ${rest}.</p>`;
}

function moreMark(page: Page, node: SchemaNode, more: number, noun: string): Html {
  if (more === 0) return html``;
  const { context, place } = page;
  const words = noun === 'property' ? `${more} more properties` : `${more} more ${noun}s`;
  context.warn(`The page leaves out ${words} of ${node.element.model ?? 'a schema'}.`, place);
  return html`<p class="ref-cut">… and ${words}: see the <a href="${context.downloads.json}">OpenAPI document</a>.</p>`;
}
