import { BEGINNING, type StoredTerm } from './format.ts';
import { nearWords } from './near-words.ts';
import type { OpenIndex } from './open-index.ts';
import { isLittle, verbsLike } from './query-words.ts';
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
  /** A verb of APIs: what is done, and not what it is done to. */
  readonly isVerb: boolean;
}

/** How many terms with the typed beginning are taken. */
const MAX_HITS = 60;

/** A longer term that begins as typed counts by its share that was typed, times this. */
const LONGER = 0.8;

/** One of the things that were typed in the plural. */
const SINGULAR = 0.7;

/** A verb that means the same as the typed one. */
const SAME_VERB = 0.5;

/** What a word that says little is worth, of what another as frequent is. */
const LITTLE_WORTH = 0.2;

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
  const lists = await Promise.all(
    terms.map(async (term, at) => {
      // The last word may be the beginning of another.
      const isLast = at === terms.length - 1;
      if (!isLast && isLittle(term.whole)) return [await matchLittle(index, term.whole)];
      const found = await matchTerm(index, term, isLenient);
      // At the end it is rather a noun: `task list`.
      const isNoun = isLast && found.some(({ hits }) => hits[0]?.nearness === 1);
      return isNoun ? found : withVerbs(index, term.whole, found);
    }),
  );
  const matches = lists.flat();
  // Where there is nothing longer, they are all there is.
  const isShort = matches.every(({ isOptional }) => isOptional);
  return isShort ? matches.map((one) => ({ ...one, isOptional: false })) : matches;
}

/** What a query of several words means as one name: `max tokens` for `max_tokens`. Undefined where there is none. */
export async function matchName(index: OpenIndex, name: string): Promise<Match | undefined> {
  const hits = await sameTerm(index, name);
  const worth = worthOf(index, hits);
  if (hits.length === 0) return undefined;
  return { typed: name, hits, worth, isOptional: false, isVerb: false };
}

/** A word that says little: what has it comes first, but nothing is left out for it. */
async function matchLittle(index: OpenIndex, typed: string): Promise<Match> {
  const hits = await sameTerm(index, typed);
  const worth = LITTLE_WORTH * worthOf(index, hits);
  return { typed, hits, worth, isOptional: true, isVerb: false };
}

/** A verb with those that mean the same: what is typed comes before them. Any other word is as it was. */
async function withVerbs(
  index: OpenIndex,
  typed: string,
  found: readonly Match[],
): Promise<readonly Match[]> {
  const others = verbsLike(typed).flatMap((verb) => [verb, `${verb}s`]);
  const [match] = found;
  if (match === undefined || others.length === 0) return found;
  const verbs = (await Promise.all(others.map((verb) => sameTerm(index, verb)))).flat();
  const hits = [...match.hits, ...verbs.map(({ stored }) => ({ stored, nearness: SAME_VERB }))];
  hits.sort((a, b) => b.nearness - a.nearness);
  return [{ ...match, hits, worth: worthOf(index, hits), isVerb: true }];
}

async function matchTerm(index: OpenIndex, term: QueryTerm, isLenient: boolean): Promise<Match[]> {
  const { whole, parts, isUnspaced } = term;
  const hits = isUnspaced ? await sameTerm(index, whole) : await beginningSo(index, whole);
  if (hits.length === 0 && parts.length > 0) {
    const named = parts.map((part) => ({ whole: part, parts: [], isUnspaced: false }));
    return (await Promise.all(named.map((part) => matchTerm(index, part, isLenient)))).flat();
  }
  // A known verb is no typing error: `make` is not meant to be `take`.
  const isWord = !isUnspaced && verbsLike(whole).length === 0;
  const isAsked = isWord && (isLenient || hits.length === 0);
  const near = isAsked ? await mistyped(index, whole) : [];
  const all = [...hits, ...near];
  const isOptional = !isUnspaced && whole.length < MIN_BEGINNING;
  return [{ typed: whole, hits: all, worth: worthOf(index, all), isOptional, isVerb: false }];
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
