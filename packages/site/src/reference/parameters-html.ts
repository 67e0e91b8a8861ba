import { type Html, html } from '@petstore/http/html.ts';
import { truncate } from '@petstore/service/text.ts';
import { isObject, type Schema, textOf } from '../openapi/openapi-types.ts';
import type { FoundOperation } from '../openapi/operations.ts';
import { type Parameter, parametersOf } from '../openapi/parameters.ts';
import { resolveReference } from '../openapi/references.ts';
import { defaultStyle, isExploded } from '../request/serialize.ts';
import {
  claimId,
  fragment,
  MAX_NAME,
  type Page,
  REQUIRED,
  section,
  valueCode,
} from './page-parts.ts';
import { heldSchema } from './schema-html.ts';
import type { Purpose } from './schema-tree.ts';
import { shapeOf } from './shape.ts';

const PLACES = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['querystring', 'Query string'],
  ['header', 'Headers'],
  ['cookie', 'Cookies'],
] as const;

/** How many parameters of one place are shown. */
const MAX_PARAMETERS = 300;

/** The parameters of an operation by their place, each a section. */
export function parametersHtml(page: Page, found: FoundOperation): Html {
  const all = parametersOf(page.context.document, found);
  return html`${PLACES.map(([place, title]) => {
    const here = all.filter((one) => one.in === place);
    if (here.length === 0) return html``;
    const rows = here.slice(0, MAX_PARAMETERS).map((one) => parameterRow(page, one, place));
    return section(
      page,
      `${place}-parameters`,
      title,
      html`<ul class="ref-rows">${rows}</ul>${moreMark(page, here.length - rows.length)}`,
    );
  })}`;
}

function moreMark({ context, place }: Page, more: number): Html {
  if (more <= 0) return html``;
  context.warn(`The page leaves out ${more} parameters.`, place);
  return html`<p class="ref-cut">… and ${more} more: see the <a href="${context.downloads.json}">OpenAPI document</a>.</p>`;
}

function parameterRow(page: Page, parameter: Parameter, place: string): Html {
  const name = truncate(parameter.name, MAX_NAME);
  const id = claimId(page, name, `${place}.${name}`);
  const isRequired = parameter.required === true || place === 'path';
  const label = html`<a href="${fragment(id)}"${parameter.deprecated === true ? html` class="ref-old"` : ''}>${name}</a>`;
  return holderRow(page, parameter, {
    label,
    id,
    isRequired,
    purpose: 'request',
    facts: styleFacts(page, parameter, place),
  });
}

/** The headers of a response, or of a part of a multipart body. */
export function headersHtml(page: Page, headers: unknown, prefix: string, purpose: Purpose): Html {
  const all = Object.entries(isObject(headers) ? headers : {});
  if (all.length === 0) return html``;
  const rows = all.slice(0, MAX_PARAMETERS).map(([name, given]) => {
    const found = resolveReference(page.context.document, given);
    const header = isObject(found) ? found : {};
    const id = claimId(page, `${prefix}.${name}`);
    const label = html`<a href="${fragment(id)}">${name}</a>`;
    return holderRow(page, header, {
      label,
      id,
      isRequired: header.required === true,
      purpose,
      facts: [],
    });
  });
  return html`<ul class="ref-rows">${rows}</ul>${moreMark(page, all.length - rows.length)}`;
}

interface RowOptions {
  readonly label: Html;
  readonly id: string;
  readonly isRequired: boolean;
  readonly purpose: Purpose;
  readonly facts: readonly Html[];
}

/** A row about a parameter or a header, which holds a schema, or a media type that does. */
function holderRow(
  page: Page,
  holder: Schema,
  { label, id, isRequired, purpose, facts }: RowOptions,
): Html {
  const [mediaType, media] =
    Object.entries(isObject(holder.content) ? holder.content : {})[0] ?? [];
  const inside = isObject(media) ? media : {};
  const schema = holder.schema ?? inside.schema;
  const value = heldSchema(page, schema, {
    purpose,
    prefix: id,
    holder,
    facts: [
      ...(mediaType === undefined ? [] : [html`Written as ${valueCode(mediaType)}`]),
      ...facts,
    ],
    examples: [...examplesOf(page, holder), ...examplesOf(page, inside)],
  });
  return html`<li id="${id}"><p class="ref-name">${label} ${value.type}${isRequired ? REQUIRED : ''}${value.flags}</p>${value.description}${value.facts}${value.members}</li>
`;
}

/** The values of `example` and `examples`. */
function examplesOf({ context }: Page, { example, examples }: Schema): unknown[] {
  const named = Object.values(isObject(examples) ? examples : {}).map((one) => {
    const found = resolveReference(context.document, one);
    return isObject(found) ? (found.dataValue ?? found.value ?? found.serializedValue) : undefined;
  });
  return [example, ...named].filter((one) => one !== undefined);
}

/** How lists and objects are written, where it is not as everyone expects. */
function styleFacts({ context }: Page, parameter: Parameter, place: string): Html[] {
  const { name } = parameter;
  const usual = defaultStyle(place as Parameters<typeof defaultStyle>[0]);
  const style = textOf(parameter.style) || usual;
  const usually = isExploded({ style: style as typeof usual });
  const explode = typeof parameter.explode === 'boolean' ? parameter.explode : usually;
  const { types } = shapeOf(context.document, parameter.schema);
  const isCompound = types.includes('array') || types.includes('object');
  const isUsual = style === usual && explode === isExploded({ style: usual });
  const written = isCompound
    ? writtenAs(name, style, explode, types.includes('object'))
    : undefined;
  return [
    ...(style === usual ? [] : [html`Style ${valueCode(style)}`]),
    ...(isUsual || written === undefined ? [] : [html`Written as ${valueCode(written)}`]),
    ...(parameter.allowReserved === true ? [html`Reserved characters stay as they are`] : []),
    ...(parameter.allowEmptyValue === true ? [html`May be empty`] : []),
  ];
}

const SEPARATORS: ReadonlyMap<string, string> = new Map([
  ['spaceDelimited', '%20'],
  ['pipeDelimited', '|'],
]);

/** A list of `a` and `b`, or an object whose `k` is `v`, as OpenAPI 3.1.1 has it (“Style Examples”). */
function writtenAs(
  name: string,
  style: string,
  explode: boolean,
  isMap: boolean,
): string | undefined {
  const separator = SEPARATORS.get(style) ?? ',';
  const joined = isMap ? `k${separator}v` : `a${separator}b`;
  switch (style) {
    case 'deepObject':
      return `${name}[k]=v`;
    case 'label':
      return explode ? (isMap ? '.k=v' : '.a.b') : `.${joined}`;
    case 'matrix':
      if (explode) return isMap ? ';k=v' : `;${name}=a;${name}=b`;
      return `;${name}=${joined}`;
    case 'simple':
      return explode && isMap ? 'k=v' : joined;
    case 'cookie':
      if (explode) return isMap ? 'k=v' : `${name}=a; ${name}=b`;
      return `${name}=${joined}`;
    case 'form':
    case 'spaceDelimited':
    case 'pipeDelimited':
      if (explode) return isMap ? 'k=v' : `${name}=a&${name}=b`;
      return `${name}=${joined}`;
    default:
      return undefined;
  }
}
