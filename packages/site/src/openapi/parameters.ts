import { isObject, type OpenApiDocument } from './openapi-types.ts';
import type { FoundOperation } from './operations.ts';
import { resolveReference } from './references.ts';

/** A Parameter Object, its references followed. */
export type Parameter = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly in: string;
};

type Holders = Pick<FoundOperation, 'item' | 'operation'>;

/** The parameters that readers of an operation see: see `mergeParameters`. */
export function parametersOf(document: OpenApiDocument, holders: Holders): Parameter[] {
  return mergeParameters(holders, (parameter) => resolveReference(document, parameter));
}

/**
 * The parameters of a path item, then those of the operation. Of two with the same name and place the operation's counts
 * (OpenAPI 3.1.1, “Operation Object”). Those that are marked as internal are left out. `resolve` follows references.
 */
export function mergeParameters(
  { item, operation }: Holders,
  resolve: (parameter: unknown) => unknown,
): Parameter[] {
  const byKey = new Map<string, Parameter>();
  for (const { parameters } of [item, operation]) {
    for (const given of Array.isArray(parameters) ? parameters : []) {
      const parameter = resolve(given);
      if (isParameter(parameter)) byKey.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  }
  return [...byKey.values()].filter((parameter) => parameter['x-internal'] !== true);
}

function isParameter(value: unknown): value is Parameter {
  return isObject(value) && typeof value.name === 'string' && typeof value.in === 'string';
}
