import { derivedAddress } from '@petstore/site/guides/references-config.ts';
import type { ImportedDocument } from './imported-site.ts';

/**
 * The addresses of several documents, by their files, with a number where another one has the same. A document that is
 * alone has none.
 */
export function documentAddresses(
  documents: readonly ImportedDocument[],
): ReadonlyMap<string, string> {
  if (documents.length < 2) return new Map();
  const taken = new Set<string>();
  return new Map(
    documents.map(({ file }) => {
      const address = derivedAddress(file);
      let free = address;
      for (let number = 2; taken.has(free); number += 1) free = `${address}-${number}`;
      taken.add(free);
      return [file, free];
    }),
  );
}
