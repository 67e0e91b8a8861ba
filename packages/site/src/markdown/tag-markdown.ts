import { truncate } from '@petstore/service/text.ts';
import { isObject, type OperationSummary, textOf } from '../openapi/openapi-types.ts';
import type { TagAddress } from '../reference/addresses.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { sizeText } from '../reference/tag-list.ts';
import { linked } from './description-links.ts';
import {
  bulletList,
  closed,
  code,
  externalDocs,
  joined,
  literal,
  pageLink,
} from './markdown-text.ts';
import { schemesMarkdown } from './security-markdown.ts';
import { serversMarkdown } from './servers-markdown.ts';

/** In letters, of an operation in the list of its tag. */
const MAX_ABOUT = 200;

/** A tag, or the webhooks, as a page of Markdown. */
export function tagMarkdown(context: ReferenceContext, tag: TagAddress): string {
  const { addresses, document } = context;
  const described = listOf(document.tags).find((one) => isObject(one) && one.name === tag.name);
  return `${joined([
    `# ${literal(tag.title)}`,
    closed(linked(context, tag.description).trim()),
    tag.name === undefined || !isObject(described) ? '' : externalDocs(described.externalDocs),
    tagLinks(tag.children),
    tag.operations
      .map((one) => pageLink(one.title, addresses.operation(one), aboutOperation(one, MAX_ABOUT)))
      .join('\n'),
  ])}\n`;
}

/** Tags as links, each with those that lie under it. */
function tagLinks(tags: readonly TagAddress[], indent = ''): string {
  return tags
    .map(({ title, path, operations, children }) => {
      const own = `${indent}${pageLink(title, path, sizeText(operations.length, children.length))}`;
      return children.length > 0 ? `${own}\n${tagLinks(children, `${indent}  `)}` : own;
    })
    .join('\n');
}

/** `GET /pets, deprecated. What it does.`, which is cut after `most` letters. */
export function aboutOperation(operation: OperationSummary, most: number): string {
  const { method, path, isWebhook, deprecated, description } = operation;
  const address = `${isWebhook ? 'webhook' : method} ${path}${deprecated ? ', deprecated' : ''}`;
  const about = truncate(description, most);
  return about ? `${address}. ${about}` : address;
}

/** The introduction of a reference as a page of Markdown. */
export function overviewMarkdown(context: ReferenceContext): string {
  const { addresses, document, downloads } = context;
  const info = isObject(document.info) ? document.info : {};
  const name = addresses.address === undefined ? textOf(info.title) || 'API' : context.title;
  const tags = [...addresses.tags, ...(addresses.webhooks ? [addresses.webhooks] : [])];
  return `${joined([
    `# ${literal(name)}`,
    textOf(info.version) && `Version ${code(textOf(info.version))}`,
    literal(textOf(info.summary)),
    closed(linked(context, textOf(info.description)).trim()),
    externalDocs(document.externalDocs),
    aboutOwner(info),
    serversMarkdown(context, [document], '##'),
    schemesMarkdown(context),
    tags.length > 0 ? '## Operations' : '',
    tagLinks(tags.filter(({ parent }) => parent === undefined)),
    addresses.modelsPath === undefined ? '' : '## Models',
    addresses.modelsPath === undefined
      ? ''
      : pageLink('Models', addresses.modelsPath, `${addresses.models.length} in all`),
    '## OpenAPI document',
    bulletList([`[JSON](${downloads.json})`, `[YAML](${downloads.yaml})`]),
  ])}\n`;
}

function aboutOwner({ contact, license, termsOfService }: Record<string, unknown>): string {
  const { name, email, url } = isObject(contact) ? contact : {};
  const reach = [literal(textOf(name)), ...addresses(email, url)].filter(Boolean).join(', ');
  const { name: licenseName, identifier, url: licenseUrl } = isObject(license) ? license : {};
  const terms = [
    literal(textOf(licenseName) || textOf(identifier)),
    ...addresses(licenseUrl),
  ].filter(Boolean);
  return bulletList([
    ...(reach ? [`Contact: ${reach}`] : []),
    ...(terms.length > 0 ? [`Licence: ${terms.join(', ')}`] : []),
    ...(textOf(termsOfService) ? [`Terms of service: ${code(textOf(termsOfService))}`] : []),
  ]);
}

const addresses = (...given: readonly unknown[]) =>
  given.filter((one) => typeof one === 'string' && one !== '').map((one) => code(String(one)));

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
