import { METHODS } from '@petstore/site/openapi/methods.ts';
import { isObject } from '@petstore/site/openapi/openapi-types.ts';
import { type ApiDocument, type At, memberOf, memberValue } from './api-document.ts';
import type { Comparison } from './comparison.ts';
import { type Announced, announcedIn, stabilityOf } from './lifecycle.ts';
import type { OperationContext } from './report.ts';

/** An operation of one document. */
export interface Operation {
  /** `GET /pets` */
  readonly name: string;
  readonly path: string;
  readonly at: At;
  readonly item: At;
  /** What the path item has for all of its operations. */
  readonly shared: At;
  readonly context: OperationContext;
  readonly announced: Announced;
}

/** An operation of both documents. */
export interface PairedOperation {
  readonly old: Operation;
  readonly now: Operation;
  /** Named as in the new document; the stability is what the old one promised. */
  readonly context: OperationContext;
}

/** The operations of both documents by what became of them. Paths that differ in the names of parameters are one. */
export function comparePaths(
  { old, new: now, report }: Comparison,
  section: 'paths' | 'webhooks',
): {
  readonly added: Operation[];
  readonly removed: Operation[];
  readonly kept: PairedOperation[];
} {
  const [before, after] = [operationsIn(old, section), operationsIn(now, section)];
  const left = new Map(after);
  const byTemplate = new Map<string, Operation>();
  for (const one of after.values()) if (!before.has(one.name)) byTemplate.set(templateOf(one), one);
  const removed: Operation[] = [];
  const kept: PairedOperation[] = [];
  for (const one of before.values()) {
    const other = after.get(one.name) ?? byTemplate.get(templateOf(one));
    if (!other || !left.delete(other.name)) {
      removed.push(one);
      continue;
    }
    const context = { name: other.name, stability: one.context.stability };
    kept.push({ old: one, now: other, context });
    const [names, others] = [parameterNames(one.path), parameterNames(other.path)];
    names.forEach((name, index) => {
      const next = others[index];
      if (name === next) return;
      report.add('path-parameter-renamed', context, {
        ...{ subject: `path parameter \`${name}\``, old: one.at, new: other.at },
        said: { old: name, new: next },
      });
    });
  }
  return { added: [...left.values()], removed, kept };
}

/** The names of a path's parameters, in their order. */
export const parameterNames = (path: string): string[] =>
  [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);

const templateOf = ({ name }: Operation): string => name.replace(/\{[^{}]*\}/g, '{}');

function operationsIn(document: ApiDocument, section: string): Map<string, Operation> {
  const operations = new Map<string, Operation>();
  for (const [path, item] of itemsIn(document, section))
    for (const [method, at] of operationsAt(document, item)) {
      const name = `${method} ${path}`;
      const context = { name, stability: stabilityOf(at) };
      const parameters = memberValue(item, 'parameters') ?? [];
      const shared = { value: parameters, pointer: `${item.pointer}/parameters` };
      operations.set(name, {
        ...{ name, path, at, item, shared, context },
        announced: announcedIn(at),
      });
    }
  return operations;
}

/** Path items by their names. Documents of OpenAPI 3.0 have their webhooks in `x-webhooks`. */
function itemsIn(document: ApiDocument, section: string): Map<string, At> {
  const items = document.named(document.root, section);
  const isOlder = section === 'webhooks' && items.size === 0;
  return isOlder ? document.named(document.root, 'x-webhooks') : items;
}

/** The operations of a path item by method, without those that no reader sees. */
export function* operationsAt(document: ApiDocument, item: At): Generator<[string, At]> {
  for (const method of METHODS) {
    const at = document.member(item, method);
    if (at && isShown(at)) yield [method.toUpperCase(), at];
  }
  const others = memberOf(item, 'additionalOperations');
  for (const method of Object.keys(others && isObject(others.value) ? others.value : {})) {
    const at = others && document.member(others, method);
    if (at && isShown(at)) yield [method, at];
  }
}

const isShown = ({ value }: At): boolean =>
  isObject(value) && !value['x-internal'] && !value['x-scalar-ignore'];
