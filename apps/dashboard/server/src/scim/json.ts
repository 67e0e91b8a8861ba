/** The member of an object with a name in lower case, in whatever case it is there. */
export function findKey(object: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name];
  return Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1];
}
