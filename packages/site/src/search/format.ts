// The files of an index, as the build writes them and the browser reads them.

/** The only file whose path is fixed. It names the others, whose paths have their content's hash. */
export const ENTRY_PATH = '/_site/search.json';

export const FILES_FOLDER = '/_site/search/';

/** What a result can be, by the number that stands for it in a title. */
export const KINDS = ['operation', 'page', 'section', 'tag', 'model', 'webhook'] as const;

export type Kind = (typeof KINDS)[number];

/** `/_site/search.json`. Files are named by the part of their path between the folder and `.json`. */
export interface SearchEntry {
  /** How many documents there are: each is a page, or a section of one. They are numbered from 0. */
  readonly documents: number;
  /** The files of titles, each of this many documents. */
  readonly titles: readonly string[];
  readonly titlesPerFile: number;
  /** The files of details, each of this many documents. */
  readonly details: readonly string[];
  readonly detailsPerFile: number;
  /** The files of terms, each with its first term, in the order of their code units. */
  readonly terms: readonly (readonly [first: string, file: string])[];
  /** The file of words that typing errors are compared with. */
  readonly words: string;
  /** Of a site that lists its APIs: their names, which rows show. */
  readonly apis?: readonly SearchedApi[];
}

/** An API, the path below which its pages are, and its last segment, which names it elsewhere. */
export type SearchedApi = readonly [href: string, title: string, address: string];

/** What a row of results shows of a document. `context` is an operation's path, or the title of a section's page. */
export type StoredTitle = readonly [
  kind: number,
  title: string,
  href: string,
  context: string,
  method?: string,
  deprecated?: 1,
];

/** What is shown only where it is what was found. */
export type StoredDetails = readonly [
  excerpt: string,
  /** Names by the place where they stand: `query`, `body`, `200`; of a model, an empty text. */
  groups: readonly (readonly [group: string, ...names: string[]])[],
  /** Allowed values of some of the names, by the name's number among all of the document. */
  values: Readonly<Record<string, string>>,
];

/** A term with the documents and the names that have it, see postings.ts. `frequency`: in how many documents it is. */
export type StoredTerm = readonly [
  term: string,
  documents: readonly number[],
  places?: readonly number[],
  frequency?: number,
];

/**
 * How a name has a term, from the weakest: as one of its allowed values, as a part of it, as the whole of it. What is
 * sent comes before what is received.
 */
export const MATCH = { value: 0, part: 1, received: 2, sent: 3 } as const;

/** The most names that a document has. */
export const MAX_PLACES = 512;

/** The mark of the term for all words that begin with one or two letters: `li*`. No word has it. */
export const BEGINNING = '*';

/** The groups of names that are parameters. */
const PARAMETERS: readonly string[] = ['path', 'query', 'querystring', 'header', 'cookie'];

export const isParameter = (group: string): boolean => PARAMETERS.includes(group);

/** Whether names of a group are a part of requests. */
export const isSent = (group: string): boolean => group === 'body' || isParameter(group);
