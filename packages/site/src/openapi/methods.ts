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
  // Since OpenAPI 3.2.
  'query',
] as const;

export type Method = (typeof METHODS)[number];

export function isMethod(name: string): name is Method {
  return METHODS.some((method) => method === name);
}
