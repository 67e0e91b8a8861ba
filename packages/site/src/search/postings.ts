// Lists of documents as small numbers: each is told by its distance from the one before.

/** Weights are from 1 to this. */
export const MAX_WEIGHT = 31;

/** A document that has a term, and how much the term says about it. */
export interface DocumentPosting {
  readonly document: number;
  readonly weight: number;
}

/** A name of a document that has a term, see MATCH. */
export interface PlacePosting {
  readonly document: number;
  readonly place: number;
  readonly match: number;
}

/** In the order of the documents. */
export function encodeDocuments(postings: readonly DocumentPosting[]): number[] {
  let before = 0;
  return postings.map(({ document, weight }) => {
    const step = document - before;
    before = document;
    return step * (MAX_WEIGHT + 1) + weight;
  });
}

export function forEachDocument(
  numbers: readonly number[],
  tell: (document: number, weight: number) => void,
): void {
  let document = 0;
  for (const number of numbers) {
    document += Math.floor(number / (MAX_WEIGHT + 1));
    tell(document, number % (MAX_WEIGHT + 1));
  }
}

/** In the order of the documents. */
export function encodePlaces(postings: readonly PlacePosting[]): number[] {
  let before = 0;
  return postings.flatMap(({ document, place, match }) => {
    const step = document - before;
    before = document;
    return [step, place * 4 + match];
  });
}

export function forEachPlace(
  numbers: readonly number[],
  tell: (document: number, place: number, match: number) => void,
): void {
  let document = 0;
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    const packed = numbers[at + 1] ?? 0;
    document += numbers[at] ?? 0;
    tell(document, Math.floor(packed / 4), packed % 4);
  }
}
