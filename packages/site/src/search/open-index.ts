import {
  ENTRY_PATH,
  FILES_FOLDER,
  type SearchEntry,
  type SearchedApi,
  type StoredDetails,
  type StoredTerm,
  type StoredTitle,
} from './format.ts';
import { unpackWords } from './words.ts';

/** Reads a file of the index, as JSON. Rejects where it cannot be had. */
export type LoadFile = (path: string) => Promise<unknown>;

/** An index whose files are loaded when they are needed, each once; again after a failure. */
export interface OpenIndex {
  readonly documents: number;
  /** All titles are few enough to be loaded. */
  readonly isSmall: boolean;
  title(document: number): Promise<StoredTitle | undefined>;
  details(document: number): Promise<StoredDetails | undefined>;
  /** The terms that begin so, in order, as far as they stand in the first few files. */
  termsFrom(beginning: string): Promise<readonly StoredTerm[]>;
  /** The words that typing errors are compared with. */
  words(): Promise<readonly string[]>;
  /** The API that a page with this address is of, where the site has several. */
  apiOf(href: string): SearchedApi | undefined;
  /** Loads the titles ahead, where that is little. */
  warm(): void;
}

/** How many files the terms with one beginning are taken from. */
const MAX_TERM_FILES = 3;

/** How many documents have their titles loaded ahead: some ten kB for each thousand. */
const MAX_SMALL = 5_000;

export async function openIndex(load: LoadFile): Promise<OpenIndex> {
  const entry = (await load(ENTRY_PATH)) as SearchEntry;
  const files = new Map<string, Promise<unknown>>();
  const file = (name: string): Promise<unknown> => {
    const known = files.get(name);
    if (known !== undefined) return known;
    const loading = load(`${FILES_FOLDER}${name}.json`);
    files.set(name, loading);
    loading.catch(() => files.delete(name));
    return loading;
  };
  /** The item of a document in one of the files that have so many documents each. */
  const item = async <T>(names: readonly string[], size: number, at: number) => {
    const name = names[Math.floor(at / size)];
    return name === undefined ? undefined : ((await file(name)) as readonly T[])[at % size];
  };
  const isSmall = entry.documents <= MAX_SMALL;
  let words: Promise<readonly string[]> | undefined;
  return {
    documents: entry.documents,
    isSmall,
    title: (document) => item<StoredTitle>(entry.titles, entry.titlesPerFile, document),
    details: (document) => item<StoredDetails>(entry.details, entry.detailsPerFile, document),
    termsFrom: async (beginning) => {
      const names = filesFrom(entry.terms, beginning).map(([, name]) => name);
      const lists = (await Promise.all(names.map(file))) as StoredTerm[][];
      return lists.flat().filter(([term]) => term.startsWith(beginning));
    },
    words: () => {
      words ??= file(entry.words).then((packed) => unpackWords(packed as string));
      words.catch(() => (words = undefined));
      return words;
    },
    apiOf: (href) =>
      entry.apis?.find(
        ([path]) => href.startsWith(path) && /^[/#]?$/.test(href.charAt(path.length)),
      ),
    warm: () => {
      if (!isSmall) return;
      for (const name of entry.titles) file(name).catch(() => {});
    },
  };
}

/** The files that have terms with such a beginning: the last one that begins before it, and those that follow. */
function filesFrom(files: SearchEntry['terms'], beginning: string): SearchEntry['terms'] {
  const after = files.findIndex(([first]) => first > beginning);
  const start = Math.max(0, (after === -1 ? files.length : after) - 1);
  return files
    .slice(start, start + MAX_TERM_FILES)
    .filter(([first], at) => at === 0 || first.startsWith(beginning));
}
