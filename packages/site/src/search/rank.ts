import type { Candidate } from './candidates.ts';
import { KINDS, type Kind, type StoredTitle } from './format.ts';
import type { Match } from './match-terms.ts';
import type { OpenIndex } from './open-index.ts';
import { isPath, pathShare } from './path-query.ts';
import { meaningOf } from './query-words.ts';
import { fold, squash, wordsOf, wordTerms } from './terms.ts';

/** How many candidates are compared by their titles; of those whose titles may have to be loaded, less. */
const MAX_COMPARED = 500;
const MAX_LOADED = 60;

/** How much a kind is preferred where all else is the same. */
const PREFERENCE: Readonly<Record<Kind | 'place', number>> = {
  operation: 1,
  page: 1,
  section: 0.95,
  tag: 0.85,
  model: 0.7,
  webhook: 0.65,
  place: 0.8,
};
const DEPRECATED = 0.9;

/**
 * A title or an `operationId` that is the query itself, a title that means the same in other words, a path that is the
 * query, and a title that begins as it does.
 */
const EXACT = 6;
const SAME_MEANING = 3;
const EXACT_PATH = 100;
const BEGUN = 2;
const EXACT_NAME = 2;

/** How much a title gains that has no words besides those of the query. */
const WHOLE_TITLE = 1;

/** A candidate with what is shown of its document. */
export interface Titled extends Candidate {
  readonly stored: StoredTitle;
  readonly kind: Kind;
}

/** The best candidates in the order of what their titles say. */
export async function compare(
  index: OpenIndex,
  query: string,
  matches: readonly Match[],
  candidates: readonly Candidate[],
): Promise<Titled[]> {
  const meant = new Set(matches.flatMap(({ hits }) => hits.map(({ stored: [term] }) => term)));
  const folded = fold(query);
  const [name, meaning] = [nameOf(query), meaningOf(folded)];
  const asked = { query, name, start: folded.trimStart(), meaning, meant };
  const most = index.isSmall ? MAX_COMPARED : MAX_LOADED;
  const titled = await Promise.all(
    candidates.slice(0, most).map(async (one): Promise<Titled[]> => {
      const stored = await index.title(one.document);
      if (stored === undefined) return [];
      const kind = KINDS[stored[0]] ?? 'page';
      const score = one.score * factor(one, stored, kind, asked);
      return [{ ...one, score, stored, kind }];
    }),
  );
  const ranked = titled.flat().sort((a, b) => b.score - a.score || a.document - b.document);
  return isPath(query) ? ranked : namedInOrder(ranked, asked);
}

/**
 * Those of one kind whose title or `operationId` is the query itself change places: what else they say of its words is
 * chance. What is not deprecated comes first, then the same letters, then the shorter path, of the more general one.
 */
function namedInOrder(ranked: readonly Titled[], { query, name }: Asked): Titled[] {
  const isNamed = ({ place, stored }: Titled) =>
    place === undefined && termsOf(stored).names.includes(name);
  const typed = query.trim();
  const rankOf = ({ document, stored: [, title, , context, , deprecated] }: Titled) => [
    deprecated ? 1 : 0,
    title === typed ? 0 : 1,
    context.split('/').length,
    document,
  ];
  const named = Map.groupBy(ranked.filter(isNamed), ({ kind }) => kind);
  const inOrder = new Map(
    [...named].map(([kind, alike]) => [
      kind,
      alike.sort((a, b) => compareLists(rankOf(a), rankOf(b))).values(),
    ]),
  );
  return ranked.map((one) => (isNamed(one) ? (inOrder.get(one.kind)?.next().value ?? one) : one));
}

/** By the first numbers that differ. */
function compareLists(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** What was typed: as it is, as a name, as the beginning of a title, what it means, and the terms that it may mean. */
interface Asked {
  readonly query: string;
  readonly name: string;
  readonly start: string;
  readonly meaning: string;
  readonly meant: ReadonlySet<string>;
}

function factor(
  { place, isName }: Candidate,
  stored: StoredTitle,
  kind: Kind,
  asked: Asked,
): number {
  const [, , , context, method = '', deprecated] = stored;
  const usual = PREFERENCE[kind] * (deprecated ? DEPRECATED : 1);
  if (isPath(asked.query)) {
    const isOperation = kind === 'operation' && place === undefined;
    return usual * (1 + (isOperation ? EXACT_PATH * pathShare(context, method, asked.query) : 0));
  }
  if (place !== undefined) return usual * PREFERENCE.place * (isName ? EXACT_NAME : 1);
  const { names, folded, meaning, words } = termsOf(stored);
  if (names.includes(asked.name)) return usual * (1 + WHOLE_TITLE) * EXACT;
  if (meaning !== '' && meaning === asked.meaning) {
    return usual * (1 + WHOLE_TITLE) * SAME_MEANING;
  }
  // The names of models begin alike.
  const isBegun = kind !== 'model' && folded.startsWith(asked.start);
  return usual * (1 + WHOLE_TITLE * shareOf(words, asked.meant)) * (isBegun ? BEGUN : 1);
}

function shareOf(words: TitleTerms['words'], meant: ReadonlySet<string>): number {
  const had = words.filter((terms) => terms.some((term) => meant.has(term)));
  return words.length === 0 ? 0 : had.length / words.length;
}

/** What a title is compared by. */
interface TitleTerms {
  /** As names: the title, and the last part of its address, which may be an `operationId`. */
  readonly names: readonly string[];
  readonly folded: string;
  readonly meaning: string;
  /** The terms of each of its words. */
  readonly words: readonly (readonly string[])[];
}

/** A title as a name. Who types `create issue` means the operation that its author calls `Create an issue`. */
const nameOf = (text: string): string => squash(text.replace(/\b(?:an?|the)\s+/gi, ''));

/** Hundreds of titles are compared with each key that is pressed, so each is taken apart once. */
const known = new WeakMap<StoredTitle, TitleTerms>();

function termsOf(stored: StoredTitle): TitleTerms {
  const found = known.get(stored);
  if (found !== undefined) return found;
  const [, title, href] = stored;
  const folded = fold(title);
  const terms = {
    names: [nameOf(title), squash(href.slice(href.lastIndexOf('/') + 1))],
    folded,
    meaning: meaningOf(folded),
    words: wordsOf(title).map(wordTerms),
  };
  known.set(stored, terms);
  return terms;
}
