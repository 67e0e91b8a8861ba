/** Members of a path item that are operations. */
export const METHODS = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
] as const;

export type Method = (typeof METHODS)[number];

export function isMethod(name: string): name is Method {
  return METHODS.some((method) => method === name);
}

export interface FoundOperation {
  /** In capitals: `GET`. */
  readonly method: string;
  /** The path's template: `/pets/{petId}`. */
  readonly path: string;
  readonly operation: Record<string, unknown>;
}

/** The operations under a document's paths, in its order. */
export function* eachOperation(document: object): Generator<FoundOperation> {
  const { paths } = document as { paths?: unknown };
  if (!isObject(paths)) return;
  for (const [path, item] of Object.entries(paths)) {
    if (!isObject(item)) continue;
    for (const [method, operation] of Object.entries(item)) {
      if (isMethod(method) && isObject(operation)) {
        yield { method: method.toUpperCase(), path, operation };
      }
    }
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
