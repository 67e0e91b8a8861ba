// Queries such as `/pets/{petId}`, `GET /pets/7` and `https://api.example.com/v1/pets/7`.

const PATH = /^\s*(?:([a-z]+)\s+)?(?:https?:\/\/[^/]*)?(\/\S*)\s*$/i;

/** Longer ones are compared up to here. */
const MAX_SEGMENTS = 40;

export const isPath = (query: string): boolean => PATH.test(query);

/**
 * How much of a typed path an operation has: 1 for all of it, less where its path stands behind that of a server, and 0
 * where it is another one. A parameter is any text.
 */
export function pathShare(path: string, method: string, query: string): number {
  const [, typedMethod = method, typed = ''] = PATH.exec(query) ?? [];
  const own = segments(path);
  const asked = segments(typed.replace(/[?#].*$/, ''));
  if (typedMethod.toUpperCase() !== method || own.length === 0) return 0;
  const isSame = own.every((segment, at) => {
    const other = asked[asked.length - own.length + at];
    return segment.startsWith('{') ? other !== undefined : segment === other;
  });
  return isSame ? own.length / asked.length : 0;
}

const segments = (path: string): string[] =>
  path
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '')
    .slice(-MAX_SEGMENTS);
