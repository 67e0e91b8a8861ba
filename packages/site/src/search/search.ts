import { type Candidate, findCandidates } from './candidates.ts';
import { MAX_PLACES } from './format.ts';
import { type Match, matchName, matchTerms } from './match-terms.ts';
import type { OpenIndex } from './open-index.ts';
import { isPath } from './path-query.ts';
import { isLittle } from './query-words.ts';
import { compare, type Titled } from './rank.ts';
import { type SearchRow, toRow } from './search-row.ts';
import { type QueryTerm, queryTerms, squash } from './terms.ts';

export type { SearchRow } from './search-row.ts';

/** What a query finds. */
export interface SearchResults {
  /** The best first. */
  readonly rows: readonly SearchRow[];
  /** How many there are in all. */
  readonly total: number;
  /** Whether the rows have all words of the query: otherwise they are what comes nearest. */
  readonly isWhole: boolean;
  /** The terms to be marked in the rows, those that were typed first. */
  readonly terms: readonly string[];
}

const NOTHING: SearchResults = { rows: [], total: 0, isWhole: true, terms: [] };

/** Longer queries are pasted texts. */
const MAX_TERMS = 16;

/** A query of more words is no name. */
const MAX_NAME_WORDS = 4;

/** What has less than this share of the best one's share of the words is no result; nor is what has very little. */
const MIN_OF_BEST = 0.75;
const MIN_SHARE = 0.3;

/** Where there are fewer results than these, so many at most follow that have the main word of the query in the title. */
const FEW = 5;

/** How much behind the last result the first of those is, at least: titles change the order within such a distance. */
const BEHIND = 0.15;

/** How many parameters and properties are shown: a name of one word may stand in every operation. */
const MAX_PLACES_SHOWN = 8;

/** Searches for at most `limit` results. Rejects where a file of the index cannot be loaded. */
export async function search(
  index: OpenIndex,
  query: string,
  limit: number,
): Promise<SearchResults> {
  const terms = queryTerms(query).slice(0, MAX_TERMS);
  if (terms.length === 0) return NOTHING;
  const { matches, candidates } = await lookUp(index, query, terms);
  const compared = await compare(index, query, matches, candidates);
  const shown = withoutFlood(compared).slice(0, limit);
  return {
    rows: await Promise.all(shown.map((one) => toRow(index, one, matches))),
    total: candidates.length,
    isWhole: (candidates[0]?.share ?? 1) === 1,
    terms: [
      ...new Set(
        matches.filter(saysMuch).flatMap((match) => [match.typed, ...correctionsOf(match)]),
      ),
    ],
  };
}

/** Whether a word is worth a mark: “the” and “to” are in every row. */
const saysMuch = ({ typed, isOptional }: Match) => !(isOptional && isLittle(typed));

/** The words that were found in place of a mistyped one, or of a verb. */
const correctionsOf = ({ typed, hits }: Match) =>
  hits.map(({ stored: [term] }) => term).filter((term) => !term.startsWith(typed));

async function lookUp(
  index: OpenIndex,
  query: string,
  terms: readonly QueryTerm[],
): Promise<{ matches: readonly Match[]; candidates: readonly Candidate[] }> {
  const isName = terms.length > 1 && terms.length <= MAX_NAME_WORDS;
  const [matches, name] = await Promise.all([
    matchTerms(index, terms, false),
    isName ? matchName(index, squash(query)) : undefined,
  ]);
  const wanted = isPath(query) ? matches.map(ofPath) : matches;
  const named = name === undefined ? [] : findCandidates([name]);
  const candidates = best(withNamed(named, findCandidates(wanted)));
  if (candidates[0]?.share === 1) return { matches: wanted, candidates };
  // Some word may be mistyped although others begin so.
  const lenient = await matchTerms(index, terms, true);
  return { matches: lenient, candidates: best(findCandidates(lenient)) };
}

/** Finds operations alone, some by a part of their paths: the values in a path that was pasted are in no document. */
const ofPath = ({ hits, ...match }: Match): Match => ({
  ...match,
  isOptional: true,
  hits: hits.map(({ stored: [term, documents], nearness }) => ({
    stored: [term, documents],
    nearness,
  })),
});

/** The results among candidates, the best first. */
function best(candidates: readonly Candidate[]): Candidate[] {
  const most = candidates.reduce((share, one) => Math.max(share, one.share), 0);
  const least = Math.max(MIN_SHARE, MIN_OF_BEST * most);
  const [near = [], far = []] = [true, false].map((isNear) =>
    candidates.filter(({ share }) => share >= least === isNear).sort(byScore),
  );
  const last = near.at(-1);
  if (last === undefined || near.length >= FEW) return near;
  const titled = far.filter(({ isTitled }) => isTitled).slice(0, FEW);
  const scale = Math.min(1, (BEHIND * last.score) / (titled[0]?.score ?? 1));
  return [...near, ...titled.map((one) => ({ ...one, score: scale * one.score }))];
}

const byScore = (a: Candidate, b: Candidate) => b.score - a.score || a.document - b.document;

/** What a query means as one name goes before what its words mean of the same document or place. */
function withNamed(named: readonly Candidate[], others: readonly Candidate[]): Candidate[] {
  const keyOf = ({ document, place = MAX_PLACES }: Candidate) =>
    document * (MAX_PLACES + 1) + place;
  const known = new Set(named.map(keyOf));
  return [...named, ...others.filter((one) => !known.has(keyOf(one)))];
}

/** Without the parameters and properties after the first few. */
function withoutFlood(titled: readonly Titled[]): Titled[] {
  let places = 0;
  return titled.filter(({ place }) => {
    if (place !== undefined) places += 1;
    return place === undefined || places <= MAX_PLACES_SHOWN;
  });
}
