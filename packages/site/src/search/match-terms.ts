import { BEGINNING, type StoredTerm } from './format.ts';
import { nearWords } from './near-words.ts';
import type { OpenIndex } from './open-index.ts';
import type { QueryTerm } from './terms.ts';

/** A term of the index that a word of the query may mean. */
interface Hit {
  readonly stored: StoredTerm;
  /** How near it is to what was typed: 1 for the same. */
  readonly nearness: number;
}

/** What a word of the query may mean. */
export interface Match {
  /** As it was typed, folded. */
  readonly typed: string;
  /** The nearest first; empty where nothing is near. */
  readonly hits: readonly Hit[];
  /** How much the word says: less, the more documents have it. */
  readonly worth: number;
  /** A word of one or two letters, which may be hardly begun: what has it comes first, but nothing is left out for it. */
  readonly isOptional: boolean;
}

/** How many terms with the typed beginning are taken. */
const MAX_HITS = 60;

/** A longer term that begins as typed counts by its share that was typed, times this. */
const LONGER = 0.8;

/** One of the things that were typed in the plural. */
const SINGULAR = 0.7;

/** What one or two letters find is a guess. */
const GUESS = 0.5;

/** Shorter texts begin too many terms. */
const MIN_BEGINNING = 3;

/** A word that is in no document at all says as much as one that is in half of one. */
const NOWHERE = 0.5;

/**
 * What the words of a query may mean: the same, longer ones, the parts of a name, and where there is nothing of that,
 * or `isLenient`, words that differ by typing errors.
 */
export async function matchTerms(
  index: OpenIndex,
  terms: readonly QueryTerm[],
  isLenient: boolean,
): Promise<Match[]> {
  const lists = await Promise.all(terms.map((term) => matchTerm(index, term, isLenient)));
  const matches = lists.flat();
  // Where there is nothing longer, they are all there is.
  const isShort = matches.every(({ isOptional }) => isOptional);
  return isShort ? matches.map((one) => ({ ...one, isOptional: false })) : matches;
}

/** What a query of several words means as one name: `max tokens` for `max_tokens`. Undefined where there is none. */
export async function matchName(index: OpenIndex, name: string): Promise<Match | undefined> {
  const hits = await sameTerm(index, name);
  const worth = worthOf(index, hits);
  return hits.length === 0 ? undefined : { typed: name, hits, worth, isOptional: false };
}

async function matchTerm(index: OpenIndex, term: QueryTerm, isLenient: boolean): Promise<Match[]> {
  const { whole, parts, isUnspaced } = term;
  const hits = isUnspaced ? await sameTerm(index, whole) : await beginningSo(index, whole);
  if (hits.length === 0 && parts.length > 0) {
    const named = parts.map((part) => ({ whole: part, parts: [], isUnspaced: false }));
    return (await Promise.all(named.map((part) => matchTerm(index, part, isLenient)))).flat();
  }
  const isAsked = !isUnspaced && (isLenient || hits.length === 0);
  const near = isAsked ? await mistyped(index, whole) : [];
  const all = [...hits, ...near];
  const isOptional = !isUnspaced && whole.length < MIN_BEGINNING;
  return [{ typed: whole, hits: all, worth: worthOf(index, all), isOptional }];
}

async function sameTerm(index: OpenIndex, term: string): Promise<Hit[]> {
  const found = (await index.termsFrom(term)).find(([other]) => other === term);
  return found ? [{ stored: found, nearness: 1 }] : [];
}

async function beginningSo(index: OpenIndex, typed: string): Promise<Hit[]> {
  if (typed.length < MIN_BEGINNING) {
    const [same, begun] = await Promise.all([
      sameTerm(index, typed),
      sameTerm(index, `${typed}${BEGINNING}`),
    ]);
    return [...same, ...begun.map(({ stored }) => ({ stored, nearness: GUESS }))];
  }
  const [found, one] = await Promise.all([
    index.termsFrom(typed),
    typed.endsWith('s') ? sameTerm(index, typed.slice(0, -1)) : [],
  ]);
  const begun = found.map((stored) => ({
    stored,
    nearness: stored[0] === typed ? 1 : (LONGER * typed.length) / stored[0].length,
  }));
  const singular = one.map(({ stored }) => ({ stored, nearness: SINGULAR }));
  return [...begun, ...singular].sort((a, b) => b.nearness - a.nearness).slice(0, MAX_HITS);
}

async function mistyped(index: OpenIndex, typed: string): Promise<Hit[]> {
  const near = nearWords(typed, await index.words());
  const hits = await Promise.all(
    near.map(async ({ word, nearness }) =>
      (await sameTerm(index, word)).map(({ stored }) => ({ stored, nearness })),
    ),
  );
  return hits.flat();
}

/** The inverse document frequency, of the nearest term or of all that were taken for it. */
function worthOf({ documents }: OpenIndex, hits: readonly Hit[]): number {
  const frequency = ({ stored: [, listed, , all] }: Hit) => all ?? listed.length;
  const [first] = hits;
  const own = first?.nearness === 1 ? frequency(first) : 0;
  const sum = own || hits.reduce((total, hit) => total + frequency(hit), 0);
  return Math.log(1 + documents / Math.max(NOWHERE, Math.min(sum, documents)));
}
