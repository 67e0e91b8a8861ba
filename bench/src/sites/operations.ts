import type { OpenApiDocument } from '../../../packages/site/src/openapi/openapi-types.ts';
import { isObject, textOf } from '../../../packages/site/src/openapi/openapi-types.ts';
import { findOperations } from '../../../packages/site/src/openapi/operations.ts';
import { resolveReference } from '../../../packages/site/src/openapi/references.ts';

/** An operation that readers look for. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  /** The name of its first parameter, or of the first property of its body; undefined where it has neither. */
  readonly parameter: string | undefined;
}

/** An operation, and the one after it under the same tag, to which a reader goes on. */
export interface Step {
  readonly from: Operation;
  readonly to: Operation;
}

/** All operations that a reader can name: with a summary, an id and a tag. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  const named = [...findOperations(document)].flatMap(
    ({ method, path, isWebhook, item, operation }) => {
      const { operationId, summary, tags } = operation;
      const tag = Array.isArray(tags) ? textOf(tags[0]) : '';
      const id = textOf(operationId);
      if (isWebhook || id === '' || textOf(summary) === '' || tag === '') return [];
      const parameter = firstParameter(document, item, operation);
      return [{ method, path, operationId: id, summary: textOf(summary).trim(), tag, parameter }];
    },
  );
  return named;
}

/** The operation nearest to the middle that has a parameter and a next one under its tag with a parameter, too. */
export function middleStep(operations: readonly Operation[]): Step | undefined {
  const steps = operations.flatMap((from, at): { step: Step; far: number }[] => {
    const to = operations[at + 1];
    const isStep = to && to.tag === from.tag && to.summary !== from.summary;
    if (!isStep || !from.parameter || !to.parameter) return [];
    return [{ step: { from, to }, far: Math.abs(at - operations.length / 2) }];
  });
  return steps.toSorted((a, b) => a.far - b.far)[0]?.step;
}

/** So many operations, spread over all. */
export function spreadOver(operations: readonly Operation[], most: number): readonly Operation[] {
  const step = Math.max(1, operations.length / most);
  const count = Math.min(most, operations.length);
  return Array.from({ length: count }, (_, at) => operations[Math.floor(at * step)]).filter(
    (one) => one !== undefined,
  );
}

function firstParameter(
  document: OpenApiDocument,
  item: Record<string, unknown>,
  operation: Record<string, unknown>,
): string | undefined {
  const listed = [operation.parameters, item.parameters].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  for (const parameter of listed.map((one) => resolveReference(document, one))) {
    if (isObject(parameter) && parameter.in === 'path') return textOf(parameter.name);
  }
  const body = resolveReference(document, operation.requestBody);
  const content = isObject(body) && isObject(body.content) ? Object.values(body.content)[0] : {};
  const schema = isObject(content) ? resolveReference(document, content.schema) : undefined;
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  // What only the server writes is no part of a request.
  return Object.entries(properties).find(([, one]) => !isObject(one) || one.readOnly !== true)?.[0];
}
