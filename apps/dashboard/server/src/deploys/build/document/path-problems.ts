import { isObject, METHODS } from '@petstore/reference/operations.ts';
import { toPointer } from '../syntax/json-pointer.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { resolveReference } from './references.ts';
import type { Finding } from './schema-problems.ts';

/** Finds operations with the same id, paths that no request can tell apart, and missing path parameters. */
export function* pathProblems(document: OpenApiDocument): Generator<Finding> {
  const shapes = new Map<string, string>();
  const ids = new Map<string, string>();
  const { paths, webhooks } = document;
  for (const [part, items] of Object.entries({ paths, webhooks })) {
    if (!isObject(items)) continue;
    for (const [path, value] of Object.entries(items)) {
      if (part === 'paths') {
        const shape = path.replace(/\{[^}]*\}/g, '{}');
        const before = shapes.get(shape);
        shapes.set(shape, before ?? path);
        if (before !== undefined) {
          yield {
            message: `No request can tell \`${path}\` from \`${before}\`, which is here too. Keep one of the two.`,
            path: toPointer([part, path]),
          };
        }
      }
      const item = resolveReference(document, value);
      if (!isObject(item)) continue;
      for (const method of METHODS) {
        const operation = item[method];
        if (!isObject(operation)) continue;
        const location = [part, path, method];
        const { operationId } = operation;
        if (typeof operationId === 'string') {
          const first = ids.get(operationId);
          ids.set(operationId, first ?? `${method.toUpperCase()} ${path}`);
          if (first !== undefined) {
            yield {
              message: `\`operationId\` must be unique; ${first} has \`${operationId}\` too.`,
              path: toPointer([...location, 'operationId']),
            };
          }
        }
        if (part !== 'paths') continue;
        const described = parameterNames(document, item, operation);
        for (const [, name = ''] of path.matchAll(/\{([^}]*)\}/g)) {
          if (described.has(name)) continue;
          yield {
            message: `\`${path}\` has the parameter \`{${name}}\`, which must be described in \`parameters\` with \`in: path\` and \`name: ${name}\`.`,
            path: toPointer(location),
          };
        }
      }
    }
  }
}

function parameterNames(
  document: OpenApiDocument,
  ...holders: readonly Record<string, unknown>[]
): Set<unknown> {
  return new Set(
    holders
      .flatMap(({ parameters }) => (Array.isArray(parameters) ? parameters : []))
      .map((parameter) => resolveReference(document, parameter))
      .filter(isObject)
      .filter((parameter) => parameter.in === 'path')
      .map(({ name }) => name),
  );
}
