import { toPointer } from '../syntax/source.ts';
import type { DocumentFinding } from './document-finding.ts';
import { isObject, type OpenApiDocument } from './openapi-types.ts';
import { operationsOf } from './operations.ts';
import { resolveReference } from './references.ts';

/** Parameters of a path. Each ends before the next one begins, or many braces would take quadratic time. */
const PARAMETERS = /\{([^{}]*)\}/g;

/** Finds operations with the same id, those that no request can tell apart, and missing path parameters. */
export function* pathProblems(document: OpenApiDocument): Generator<DocumentFinding> {
  const shapes = new Map<string, string>();
  const ids = new Map<string, string>();
  const { paths, webhooks } = document;
  for (const [part, items] of Object.entries({ paths, webhooks })) {
    if (!isObject(items)) continue;
    for (const [path, value] of Object.entries(items)) {
      const item = resolveReference(document, value);
      if (!isObject(item)) continue;
      for (const { method, location: within, operation } of operationsOf(item)) {
        const location = [part, path, ...within];
        const name = `${method} ${path}`;
        const { operationId } = operation;
        if (typeof operationId === 'string') {
          const first = ids.get(operationId);
          ids.set(operationId, first ?? name);
          if (first !== undefined) {
            yield {
              rule: 'operation-id',
              message: `\`operationId\` must be unique; ${first} has \`${operationId}\` too.`,
              path: toPointer([...location, 'operationId']),
            };
          }
        }
        if (part !== 'paths') continue;
        const shape = `${method} ${path.replace(PARAMETERS, '{}')}`;
        const before = shapes.get(shape);
        shapes.set(shape, before ?? name);
        if (before !== undefined) {
          yield {
            rule: 'colliding-paths',
            message: `No request can tell \`${name}\` from \`${before}\`, which is here too. Keep one of the two.`,
            path: toPointer(location),
          };
        }
        const described = parameterNames(document, item, operation);
        for (const [, parameter = ''] of path.matchAll(PARAMETERS)) {
          if (described.has(parameter)) continue;
          yield {
            rule: 'path-parameter',
            message: `\`${path}\` has the parameter \`{${parameter}}\`, which must be described in \`parameters\` with \`in: path\` and \`name: ${parameter}\`.`,
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
