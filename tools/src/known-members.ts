/**
 * The members of a document that a validator never looks at: what a schema does not know, such as a
 * misspelt name, in words like `/spec/replica`. For validators that accept what they do not know.
 */
export function unknownMembers(document: unknown, validate: (document: unknown) => void): string[] {
  const unseen = new Set<string>();
  validate(watched(document, '', unseen));
  return [...unseen];
}

function watched(value: unknown, path: string, unseen: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const place = `${path}/${name}`;
    unseen.add(place);
    return [name, watched(member, place, unseen)] as const;
  });
  const copy: object = Array.isArray(value)
    ? members.map(([, member]) => member)
    : Object.fromEntries(members);
  return new Proxy(copy, {
    get(target, name, receiver) {
      unseen.delete(`${path}/${String(name)}`);
      return Reflect.get(target, name, receiver);
    },
  });
}
