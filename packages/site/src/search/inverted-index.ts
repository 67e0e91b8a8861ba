import { BEGINNING, isSent, MATCH } from './format.ts';
import { type DocumentPosting, MAX_WEIGHT, type PlacePosting } from './postings.ts';
import type { Place, SearchDocument } from './search-document.ts';
import { fold, wordsOf, wordTerms } from './terms.ts';

/** How much a term says about a document by where it stands there. */
const WEIGHTS = { title: 14, name: 8, namePart: 3, context: 3, topic: 2, text: 1 } as const;

/** With each further word of a title, one of them says this share less. */
const LONG_TITLE = 0.08;

/** Longer titles are no titles. */
const MAX_TITLE_WORDS = 40;

/** How many documents a text of one or two letters finds. */
const MAX_BEGINNINGS = 30;

/** A document whose title begins so comes before others of which a later word does. */
const FIRST_WORD = 10;

/** A term of more than this share of many documents is found where it says something, and not in their texts. */
const MAX_SHARE = 0.3;
const MANY_DOCUMENTS = 200;

/** The weights that texts alone can give. */
const TEXT_WEIGHT = 2;

/** Of more terms than this, those are left out that are in texts alone: random letters are no words. */
const MAX_TERMS = 1_000_000;

/** Where a term is found, in the order of the documents. */
export interface TermPostings {
  readonly documents: DocumentPosting[];
  readonly places: PlacePosting[];
  /** In how many documents it is, those included that are not in the lists. */
  frequency: number;
}

/** All terms of documents. The same documents give the same index. */
export function invertedIndex(documents: readonly SearchDocument[]): Map<string, TermPostings> {
  const terms = new Map<string, TermPostings>();
  const postingsOf = (term: string): TermPostings => {
    const known = terms.get(term);
    if (known !== undefined) return known;
    const added: TermPostings = { documents: [], places: [], frequency: 0 };
    terms.set(term, added);
    return added;
  };
  const beginnings = new Map<string, DocumentPosting[]>();
  const termsOfWord = remembered(wordTerms);
  const termsIn = (text: string) => wordsOf(text).flatMap(termsOfWord);
  for (const [at, document] of documents.entries()) {
    for (const [term, weight] of documentTerms(document, termsIn)) {
      if (weight <= TEXT_WEIGHT && terms.size >= MAX_TERMS && !terms.has(term)) continue;
      const postings = postingsOf(term);
      postings.documents.push({ document: at, weight });
      postings.frequency += 1;
    }
    for (const [number, place] of document.places.entries()) {
      for (const [term, match] of placeTerms(place, termsIn)) {
        const postings = postingsOf(term);
        if (postings.documents.at(-1)?.document !== at && postings.places.at(-1)?.document !== at) {
          postings.frequency += 1;
        }
        postings.places.push({ document: at, place: number, match });
      }
    }
    addBeginnings(beginnings, at, document);
  }
  for (const postings of terms.values()) leaveOutTexts(postings, documents.length);
  for (const [start, found] of beginnings) {
    const best = found.sort((a, b) => b.weight - a.weight).slice(0, MAX_BEGINNINGS);
    const inOrder = best.sort((a, b) => a.document - b.document);
    terms.set(`${start}${BEGINNING}`, { documents: inOrder, places: [], frequency: found.length });
  }
  return terms;
}

type TermsIn = (text: string) => readonly string[];

/** The terms of a document's own texts, with their weights. */
function documentTerms(document: SearchDocument, termsIn: TermsIn): Map<string, number> {
  const { title, name, context, topics, texts } = document;
  const weights = new Map<string, number>();
  const add = (term: string, weight: number) =>
    weights.set(term, Math.min(MAX_WEIGHT, (weights.get(term) ?? 0) + weight));

  const words = wordsOf(title).slice(0, MAX_TITLE_WORDS);
  const weight = Math.max(1, Math.round(WEIGHTS.title / (1 + LONG_TITLE * (words.length - 1))));
  for (const term of new Set(termsIn(words.join(' ')))) add(term, weight);
  const [whole, ...parts] = [...new Set(termsIn(name))];
  if (whole !== undefined) add(whole, parts.length > 0 ? WEIGHTS.name : WEIGHTS.namePart);
  for (const term of parts) add(term, WEIGHTS.namePart);
  for (const term of new Set(termsIn(context))) add(term, WEIGHTS.context);
  for (const term of new Set(termsIn(topics))) add(term, WEIGHTS.topic);

  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const term of termsIn(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  for (const [term, count] of counts) add(term, count > 2 ? TEXT_WEIGHT : WEIGHTS.text);
  return weights;
}

/** The terms of a name and of its values, with the strongest match of each. */
function placeTerms({ group, leaf, values }: Place, termsIn: TermsIn): Map<string, number> {
  const matches = new Map<string, number>();
  for (const value of values) for (const term of termsIn(value)) matches.set(term, MATCH.value);
  const terms = termsIn(leaf);
  for (const term of terms) matches.set(term, MATCH.part);
  // A name of one word, or of one with parts: the whole of it comes first.
  const whole = isSent(group) ? MATCH.sent : MATCH.received;
  if (wordsOf(leaf).length === 1 && terms[0] !== undefined) matches.set(terms[0], whole);
  return matches;
}

/** Texts of one and two letters find titles with words that begin so. */
function addBeginnings(
  beginnings: Map<string, DocumentPosting[]>,
  document: number,
  { title, kind }: SearchDocument,
): void {
  const own = new Map<string, number>();
  const words = wordsOf(title).slice(0, MAX_TITLE_WORDS);
  for (const [at, word] of words.entries()) {
    const letters = [...fold(word.slice(0, 8))];
    for (const length of [1, 2]) {
      const start = letters.slice(0, length).join('');
      const isOperation = kind === 'operation' ? 2 : 0;
      const weight = isOperation + (at === 0 ? FIRST_WORD : 0) + Math.max(1, 8 - words.length);
      own.set(start, Math.max(own.get(start) ?? 0, weight));
    }
  }
  for (const [start, weight] of own) {
    const found = beginnings.get(start) ?? [];
    found.push({ document, weight });
    beginnings.set(start, found);
  }
}

/** Words such as “the” are in nearly all texts, and would be most of the index. */
function leaveOutTexts(postings: TermPostings, documents: number): void {
  if (documents < MANY_DOCUMENTS || postings.frequency < MAX_SHARE * documents) return;
  const strong = postings.documents.filter(({ weight }) => weight > TEXT_WEIGHT);
  postings.documents.splice(0, Infinity, ...strong);
}

/** How many words are remembered. */
const MAX_REMEMBERED = 50_000;

function remembered(terms: (word: string) => string[]): (word: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (word) => {
    const found = known.get(word);
    if (found !== undefined) return found;
    const made = terms(word);
    if (known.size < MAX_REMEMBERED) known.set(word, made);
    return made;
  };
}
