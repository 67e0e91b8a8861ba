import type { ComparedDocument } from '@petstore/changes/api-document.ts';

/** Two versions of one document. A document that is new or gone is compared with one that has nothing. */
export interface DocumentPair {
  /** Of its reference, in the new version where it is there. */
  readonly address: string;
  readonly old: ComparedDocument;
  readonly now: ComparedDocument;
}

type Documents = ReadonlyMap<string, ComparedDocument>;

/**
 * Which documents of two versions are compared: those of the same address. One alone is compared with one alone, whatever
 * their addresses.
 */
export function pairDocuments(old: Documents, now: Documents): DocumentPair[] {
  const [[first] = ['']] = now;
  const areAlone = old.size === 1 && now.size === 1;
  const before = areAlone ? new Map([[first, [...old.values()][0]]]) : old;
  return [...new Set([...before.keys(), ...now.keys()])].map((address) => ({
    address,
    old: before.get(address) ?? NO_API,
    now: now.get(address) ?? NO_API,
  }));
}

/** Stands for an API that is new, or gone. */
const NO_API: ComparedDocument = {
  document: { openapi: '3.1.0' },
  placeOf: (pointer) => ({ file: '', pointer, line: null }),
};
