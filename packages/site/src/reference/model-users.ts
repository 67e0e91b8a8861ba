import { isObject, type OpenApiDocument, type OperationSummary } from '../openapi/openapi-types.ts';
import { findOperations } from '../openapi/operations.ts';
import { modelName, resolveReference } from '../openapi/references.ts';
import type { ReferenceAddresses } from './addresses.ts';

/** A page that shows a model. */
export interface ModelUser {
  readonly title: string;
  readonly path: string;
  /** In capitals; empty where the user is another model. */
  readonly method: string;
}

/** How many users of a model are listed. */
const MAX_USERS = 200;

/** How many values of an operation or a model are looked at. */
const MAX_LOOKS = 20_000;

/** For each model the operations and the models that name it themselves, not through another model. */
export function modelUsers(
  document: OpenApiDocument,
  operations: readonly OperationSummary[],
  addresses: ReferenceAddresses,
): ReadonlyMap<string, readonly ModelUser[]> {
  const users = new Map<string, ModelUser[]>();
  const add = (names: ReadonlySet<string>, user: ModelUser) => {
    for (const name of names) {
      const list = users.get(name) ?? [];
      if (list.length < MAX_USERS) list.push(user);
      users.set(name, list);
    }
  };
  for (const [at, found] of [...findOperations(document)].entries()) {
    const summary = operations[at];
    if (summary === undefined) continue;
    const { title, method } = summary;
    const { parameters } = found.item;
    add(modelsNamedIn(document, { parameters, operation: found.operation }), {
      title,
      method,
      path: addresses.operation(summary),
    });
  }
  const { components } = document;
  const schemas = isObject(components) && isObject(components.schemas) ? components.schemas : {};
  for (const title of addresses.models) {
    const names = modelsNamedIn(document, schemas[title]);
    names.delete(title);
    add(names, { title, method: '', path: addresses.model(title) ?? addresses.overview });
  }
  return users;
}

/** The models that a value names, also through shared parameters, bodies and responses. */
function modelsNamedIn(document: OpenApiDocument, value: unknown): Set<string> {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const waiting: unknown[] = [value];
  for (let looks = 0; waiting.length > 0 && looks < MAX_LOOKS; looks += 1) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    if (Array.isArray(next)) {
      for (const item of next) waiting.push(item);
      continue;
    }
    const { $ref: target } = next as Record<string, unknown>;
    if (typeof target === 'string') {
      const name = modelName(target);
      if (name === undefined) waiting.push(resolveReference(document, next));
      else names.add(name);
    }
    for (const [key, member] of Object.entries(next)) {
      // What looks like a reference in an example is data.
      if (key !== 'example' && key !== 'examples' && key !== 'default') waiting.push(member);
    }
  }
  return names;
}
