import { hash } from 'node:crypto';
import type { BuildLog } from '../build-log.ts';
import type { RenderedPage } from '../guides/render/render-page.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { isListed, referenceListDocuments } from '../reference/reference-list.ts';
import { hrefOf, type SiteFile, TYPES } from '../site/site-files.ts';
import {
  BEGINNING,
  ENTRY_PATH,
  FILES_FOLDER,
  KINDS,
  MATCH,
  type SearchEntry,
  type SearchedApi,
  type StoredDetails,
  type StoredTerm,
  type StoredTitle,
} from './format.ts';
import { searchedGuides } from './guide-documents.ts';
import { invertedIndex, type TermPostings } from './inverted-index.ts';
import { withinLimits } from './limits.ts';
import { encodeDocuments, encodePlaces } from './postings.ts';
import { referenceDocuments } from './reference-documents.ts';
import type { SearchDocument } from './search-document.ts';
import { chunks, termFiles } from './term-files.ts';
import { isWord, packWords } from './words.ts';

export interface SearchedSite {
  readonly pages: readonly RenderedPage[];
  readonly references: readonly ReferenceContext[];
  readonly changelog?: readonly SearchDocument[];
}

/**
 * The index of a site's pages and of its references: `/_site/search.json`, and the files that it names by the hash of
 * their content. The same content gives the same files, and a change of a few words changes few of them. The part
 * beyond the limits is left out, which is logged.
 */
export function searchFiles(
  { pages, references, changelog = [] }: SearchedSite,
  log: BuildLog,
): SiteFile[] {
  const guides = [...searchedGuides(pages, log), ...changelog];
  const found = function* (): Generator<SearchDocument> {
    yield* referenceListDocuments(references);
    for (const reference of references) yield* referenceDocuments(reference);
  };
  const documents = [...guides, ...withinLimits(found(), guides.length, log)];
  const terms = invertedIndex(documents);
  const files = new Map<string, SiteFile>();
  /** Adds a file; returns the name that the entry has for it. */
  const add = (value: unknown): string => {
    const content = JSON.stringify(value);
    const name = hash('sha256', content, 'hex').slice(0, 16);
    const path = `${FILES_FOLDER}${name}.json`;
    files.set(path, { path, type: TYPES.json, content, immutable: true });
    return name;
  };
  const titlesPerFile = perFile(documents.length, TITLES);
  const detailsPerFile = perFile(documents.length, DETAILS);
  const entry: SearchEntry = {
    documents: documents.length,
    titles: chunks(documents, titlesPerFile).map((part) => add(part.map(storedTitle))),
    titlesPerFile,
    details: chunks(documents, detailsPerFile).map((part) => add(part.map(storedDetails))),
    detailsPerFile,
    terms: termFiles([...terms].map(storedTerm)).map((part) => [part[0]?.[0] ?? '', add(part)]),
    words: add(packWords(commonWords(terms))),
    ...(isListed(references) && { apis: references.map(searchedApi) }),
  };
  return [
    { path: ENTRY_PATH, type: TYPES.json, content: JSON.stringify(entry) },
    ...files.values(),
  ];
}

const searchedApi = ({ addresses, title }: ReferenceContext): SearchedApi => [
  hrefOf(addresses.overview),
  title,
  addresses.address ?? '',
];

/**
 * How many documents a file has: at least this many, and so many that there are not more files than this, up to the
 * most: the results of a query are in files all over a large site, of which a reader loads each.
 */
const TITLES = { documents: 256, files: 16, most: 512 };
const DETAILS = { documents: 64, files: 40, most: 128 };

const perFile = (all: number, { documents, files, most }: typeof TITLES) =>
  Math.min(most, Math.max(documents, Math.ceil(all / files)));

function storedTitle(document: SearchDocument): StoredTitle {
  const { kind, title, href, context, method, isDeprecated } = document;
  const shown = [KINDS.indexOf(kind), title, href, context] as const;
  if (isDeprecated) return [...shown, method, 1];
  return method ? [...shown, method] : shown;
}

/** How many letters of the allowed values of a name are shown. */
const MAX_VALUES = 120;

function storedDetails({ excerpt, places }: SearchDocument): StoredDetails {
  const groups: [string, ...string[]][] = [];
  const values: Record<string, string> = {};
  for (const [at, { group, name, values: allowed }] of places.entries()) {
    const last = groups.at(-1);
    if (last?.[0] === group) last.push(name);
    else groups.push([group, name]);
    if (allowed.length > 0) values[at] = allowed.join(', ').slice(0, MAX_VALUES);
  }
  return [excerpt, groups, values];
}

function storedTerm([term, { documents, places, frequency }]: [string, TermPostings]): StoredTerm {
  const listed = encodeDocuments(documents);
  if (frequency !== documents.length) return [term, listed, encodePlaces(places), frequency];
  return places.length > 0 ? [term, listed, encodePlaces(places)] : [term, listed];
}

/** How many words are compared with a typing error. */
const MAX_WORDS = 8_000;

/** The words that say most, in order. */
function commonWords(terms: ReadonlyMap<string, TermPostings>): string[] {
  const worth = ({ documents, places }: TermPostings) => {
    const own = documents.reduce((most, { weight }) => Math.max(most, weight), 0);
    return places.some(({ match }) => match > MATCH.value) ? Math.max(own, 4) : own;
  };
  return [...terms]
    .filter(([term]) => !term.endsWith(BEGINNING) && isWord(term))
    .map(([term, postings]) => ({ term, worth: worth(postings) }))
    .sort((a, b) => b.worth - a.worth || (a.term < b.term ? -1 : 1))
    .slice(0, MAX_WORDS)
    .map(({ term }) => term)
    .sort();
}
