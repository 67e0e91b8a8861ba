import { isObject } from '../../openapi/openapi-types.ts';

/**
 * A value of which as much is left as makes about `most` letters of JSON, or the value itself where it is short. A text
 * is never parted. What follows the bound is left out, so that a value of megabytes that hundreds of operations share
 * is never written as a whole.
 */
export function shortened(value: unknown, most: number): unknown {
  let left = most;
  const copy = (part: unknown): unknown => {
    left -= typeof part === 'string' ? part.length : 1;
    if (Array.isArray(part)) return takeWhile(part, copy);
    if (!isObject(part)) return part;
    const members = takeWhile(Object.entries(part), ([name, member]) => {
      left -= name.length;
      return [name, copy(member)] as const;
    });
    return Object.fromEntries(members);
  };
  const takeWhile = <From, To>(items: readonly From[], map: (item: From) => To): To[] => {
    const taken: To[] = [];
    for (const item of items) {
      if (left <= 0) break;
      taken.push(map(item));
    }
    return taken;
  };
  const short = copy(value);
  return left > 0 ? value : short;
}
