/** An OpenAPI document with every part that it names by `$ref` in its place; schemas stay references. */
export function inPlace<T extends object>(document: T): T {
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(resolve);
    const { $ref } = value as { $ref?: string };
    if ($ref !== undefined && !$ref.startsWith('#/components/schemas/')) {
      const [, ...names] = $ref.split('/');
      const part = names.reduce<unknown>(
        (parent, name) => (parent as Record<string, unknown>)[name],
        document,
      );
      return resolve(part);
    }
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolve(one)]));
  };
  return resolve(document) as T;
}
