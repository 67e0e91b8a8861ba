import type { CheckedDocument } from '../openapi/openapi-types.ts';
import type { ReferenceAddresses } from './addresses.ts';

/**
 * Where the fragments of earlier versions lead, whose reference was one page: `tag/pets/GET/pets` to the page of its
 * operation, `tag/pets` to the tag's, `model/Pet` to the model's.
 */
export function oldAnchors(
  { operations }: CheckedDocument,
  addresses: ReferenceAddresses,
): ReadonlyMap<string, string> {
  const anchors = new Map<string, string>();
  const add = (anchor: string, path: string) => {
    if (!anchors.has(anchor)) anchors.set(anchor, path);
  };
  for (const operation of operations) add(operation.anchor, addresses.operation(operation));
  for (const { path, operations: members } of addresses.tags) {
    const [tag] = /^tag\/[^/]+/.exec(members[0]?.anchor ?? '') ?? [];
    if (tag !== undefined) add(tag, path);
  }
  for (const name of addresses.models) {
    const path = addresses.model(name) ?? addresses.overview;
    add(`model/${name}`, path);
    add(`model/${name.toLowerCase()}`, path);
  }
  return anchors;
}
