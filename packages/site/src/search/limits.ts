import { prefix } from '@petstore/service/text.ts';
import type { BuildLog } from '../build-log.ts';
import type { SearchDocument } from './search-document.ts';

/** How much of a reference is searched: an index of 20 MB of text would take gigabytes to make. */
const MAX_LETTERS = 12_000_000;
const MAX_DOCUMENTS = 30_000;
const MAX_NAMES = 200_000;

/**
 * The documents of a reference within the limits, beside those of so many guides. Where something is left out, the log
 * says so.
 */
export function withinLimits(
  found: Iterable<SearchDocument>,
  guides: number,
  log: BuildLog,
): SearchDocument[] {
  const documents: SearchDocument[] = [];
  let letters = MAX_LETTERS;
  let names = MAX_NAMES;
  let isCut = false;
  for (const document of found) {
    if (documents.length + guides >= MAX_DOCUMENTS) {
      isCut = true;
      break;
    }
    const texts: string[] = [];
    for (const text of document.texts) {
      const kept = prefix(text, Math.max(0, letters));
      isCut ||= kept.length < text.length;
      letters -= kept.length;
      if (kept !== '') texts.push(kept);
    }
    const places = document.places.slice(0, names);
    isCut ||= places.length < document.places.length;
    names -= places.length;
    documents.push({ ...document, texts, places });
  }
  if (isCut) log({ rule: 'search-limit', message: MESSAGE, ...WHOLE });
  return documents;
}

const WHOLE = { file: '', path: '', line: null };

const MESSAGE = `There is more text in the reference than the search can hold: it finds the first ${MAX_LETTERS / 1_000_000} million characters, ${MAX_NAMES.toLocaleString('en')} parameters and properties, and ${MAX_DOCUMENTS.toLocaleString('en')} operations and models, those guides included that come before them; of what follows, titles alone or nothing.`;
