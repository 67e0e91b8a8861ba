/** Names of members and numbers of items, from the root. */
export type Location = readonly (string | number)[];

/** RFC 6901. */
export function toPointer(location: Location): string {
  return location
    .map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

export function fromPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a location of a document; undefined where there is none. */
export function valueAt(document: unknown, location: Location): unknown {
  let value = document;
  for (const token of location) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token))
      return undefined;
    value = (value as Record<string | number, unknown>)[token];
  }
  return value;
}
