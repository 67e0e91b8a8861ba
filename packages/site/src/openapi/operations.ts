import { toPointer } from '../syntax/source.ts';
import { isMethod } from './methods.ts';
import { isObject, type OpenApiDocument, type OperationSummary, textOf } from './openapi-types.ts';
import type { PlainText } from './plain-text.ts';
import { resolveReference } from './references.ts';
import { sectionOf } from './tags.ts';
import { isLongTitle, titleText } from './title-text.ts';

/** An operation with its path and path item. */
export interface FoundOperation {
  readonly method: string;
  readonly path: string;
  /** In the document. */
  readonly location: readonly string[];
  readonly isWebhook: boolean;
  /** The path item, whose parameters and servers are the operation's too. */
  readonly item: Record<string, unknown>;
  readonly operation: Record<string, unknown>;
}

/** The operations and webhooks of a document, in its order, without those that are marked as internal. */
export function* findOperations(document: OpenApiDocument): Generator<FoundOperation> {
  for (const part of ['paths', 'webhooks']) {
    const items = document[part];
    for (const [path, value] of isObject(items) ? Object.entries(items) : []) {
      const item = resolveReference(document, value);
      if (!isObject(item)) continue;
      for (const { method, location, operation } of operationsOf(item)) {
        if (isInternal(operation)) continue;
        const isWebhook = part === 'webhooks';
        yield { method, path, location: [part, path, ...location], isWebhook, item, operation };
      }
    }
  }
}

interface ItemOperation {
  /** `GET`; of `additionalOperations` as it is written there. */
  readonly method: string;
  /** In the path item. */
  readonly location: readonly string[];
  readonly operation: Record<string, unknown>;
}

/** The operations of a path item in its order, and those of other methods, which OpenAPI 3.2 keeps apart. */
export function* operationsOf(item: Record<string, unknown>): Generator<ItemOperation> {
  for (const [name, operation] of Object.entries(item)) {
    if (isMethod(name) && isObject(operation))
      yield { method: name.toUpperCase(), location: [name], operation };
  }
  const others = isObject(item.additionalOperations) ? item.additionalOperations : {};
  for (const [method, operation] of Object.entries(others)) {
    if (isObject(operation) && TOKEN.test(method))
      yield { method, location: ['additionalOperations', method], operation };
  }
}

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]{1,40}$/;

/** Scalar leaves these out of the page. */
function isInternal(operation: Record<string, unknown>): boolean {
  return Boolean(operation['x-internal'] || operation['x-scalar-ignore']);
}

/** The operations and webhooks of an OpenAPI 3.1 document, in its order, their descriptions made plain by `plain`. */
export function listOperations(document: OpenApiDocument, plain: PlainText): OperationSummary[] {
  const ids = new Map<string, number>();
  return [...findOperations(document)].map((found) => {
    const { method, path, isWebhook, operation } = found;
    const tag = sectionOf(document, operation);
    const operationId = textOf(operation.operationId);
    const id = uniqueId(operationId || `${method.toLowerCase()} ${path}`, ids);
    return {
      id,
      operationId,
      method,
      path,
      title: operationTitle(found),
      tag,
      description: plain.of(aboutOf(found), placeOf(found)),
      deprecated: operation.deprecated === true,
      anchor: anchorOf(found, tag),
      isWebhook,
    };
  });
}

/**
 * What readers know an operation by. A webhook whose summary is a paragraph has its own name: others of the same event
 * have the same paragraph.
 */
export function operationTitle({ method, path, isWebhook, operation }: FoundOperation): string {
  if (isWebhook && isLongTitle(operation.summary)) return titleText(path);
  return (
    titleText(operation.summary) ||
    titleText(operation.operationId) ||
    titleText(`${method} ${path}`)
  );
}

/** What is said of an operation, in Markdown: its description, after a summary that is too long for a title. */
export function aboutOf({ operation }: FoundOperation): string {
  const [summary, description] = [textOf(operation.summary), textOf(operation.description)];
  return [isLongTitle(summary) ? summary : '', description].filter(Boolean).join('\n\n');
}

/** A JSON pointer: `/paths/~1pets/get`. */
export const placeOf = ({ location }: FoundOperation): string => toPointer(location);

/** `list-pets` for `listPets`: a safe file name on every system, whether it distinguishes case or not. */
function uniqueId(name: string, taken: Map<string, number>): string {
  const words = name
    .normalize('NFKD')
    .replace(/(\p{Ll}|\d)(?=\p{Lu})/gu, '$1-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 80)
    .replace(/^-+|-+$/g, '');
  const base = words || 'operation';
  let id = base;
  // From where the last one with this name ended, since there may be very many.
  let next = taken.get(base) ?? 2;
  for (; taken.has(id); next += 1) id = `${base}-${next}`;
  taken.set(base, next).set(id, taken.get(id) ?? 2);
  return id;
}

/** As Scalar 1.72 names the sections of its page; the browser test compares them. */
function anchorOf({ method, path, isWebhook }: FoundOperation, tag: string | undefined): string {
  const section = tag === undefined ? '' : `tag/${slug(tag)}/`;
  return isWebhook
    ? `${section}webhook/${method}/${slug(path, '.')}`
    : `${section}${method}${path}`;
}

/** A text as a part of an anchor: `domain-records` for `Domain Records`. */
export function slug(text: string, alsoAllowed = ''): string {
  return text
    .slice(0, 255)
    .trim()
    .normalize('NFC')
    .toLowerCase()
    .replace(new RegExp(`[^\\p{L}\\p{M}\\p{N}\\s_${alsoAllowed}-]`, 'gu'), '')
    .replace(/[\s_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
}
