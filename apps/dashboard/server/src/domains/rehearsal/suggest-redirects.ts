import { stringify } from 'yaml';
import type { OurPage } from './our-pages.ts';

/** A page that readers have today and would miss. */
export interface MissingPage {
  /** Percent-encoded. */
  readonly path: string;
  readonly title: string;
}

/** How alike two pages must be, from 0 to 1. Below that a person chooses better. */
const MIN_SCORE = 0.6;

/** By how much the best must be ahead of the second, so that it is no toss-up. */
const MIN_LEAD = 0.05;

/** Words on more pages than this tell nothing. */
const MAX_POSTINGS = 500;

/** So many pages are compared with a missing one: those that have its rarest words. */
const MAX_CANDIDATES = 1_000;

/** Further words of a path or a title are left out: each is looked up for each candidate. */
const MAX_WORDS = 40;

interface Indexed extends OurPage {
  readonly normal: string;
  readonly pathWords: ReadonlySet<string>;
  readonly titleWords: ReadonlySet<string>;
}

/**
 * Finds for a page that would be missing the page of the future site that is the same one by its path or its title:
 * its path, or undefined where there is no good one.
 */
export function pageMatcher(pages: readonly OurPage[]): (page: MissingPage) => string | undefined {
  const indexed = pages.map(indexedPage);
  const byWord = new Map<string, Indexed[]>();
  for (const page of indexed) {
    for (const word of new Set([...page.pathWords, ...page.titleWords])) {
      const postings = byWord.get(word) ?? [];
      postings.push(page);
      byWord.set(word, postings);
    }
  }
  /** A word counts the more, the fewer pages have it. */
  const weight = (word: string) =>
    Math.log(1 + indexed.length / (byWord.get(word)?.length ?? 1)) + 0.1;

  return (missing) => {
    const wanted = indexedPage(missing);
    const candidates = new Set<Indexed>();
    const found = [...wanted.pathWords, ...wanted.titleWords]
      .map((word) => byWord.get(word) ?? [])
      .filter(({ length }) => length <= MAX_POSTINGS)
      .toSorted((one, other) => one.length - other.length);
    for (const postings of found) {
      if (candidates.size >= MAX_CANDIDATES) break;
      for (const page of postings) candidates.add(page);
    }
    let best: { page: Indexed; score: number } | undefined;
    let second = 0;
    for (const page of candidates) {
      const score = likeness(wanted, page, weight);
      if (best === undefined || score > best.score) {
        second = best?.score ?? 0;
        best = { page, score };
      } else if (score > second) second = score;
    }
    if (!best || best.score < MIN_SCORE || best.score - second < MIN_LEAD) return undefined;
    return best.page.path;
  };
}

function indexedPage({ path, title }: OurPage): Indexed {
  const normal = normalPath(path);
  return { path, title, normal, pathWords: wordsOf(normal), titleWords: wordsOf(title) };
}

/** `/Guides/Start.html`, `/guides/start/` and `/guides/start/index.php` are `/guides/start`. */
function normalPath(path: string): string {
  return decoded(path)
    .toLowerCase()
    .replace(/\.(?:html?|xhtml|php|aspx?|mdx?)$/, '')
    .replace(/\/(?:index|default|readme)$/, '/')
    .replace(/\/+$/, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function wordsOf(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS));
}

type Weight = (word: string) => number;

/** From 0 to 1: the same path in another spelling is 1; otherwise by the words that both have. */
function likeness(a: Indexed, b: Indexed, weight: Weight): number {
  if (a.normal === b.normal) return 1;
  const paths = overlap(a.pathWords, b.pathWords, weight);
  // Mostly a page is moved as it is, or a whole folder.
  const last = lastSegment(a.normal);
  const isSameName = last !== '' && last === lastSegment(b.normal);
  const byPath = isSameName ? 0.6 + 0.35 * paths : 0.9 * paths;
  if (a.titleWords.size === 0 || b.titleWords.size === 0) return byPath;
  const titles = titleLikeness(a, b, weight);
  return Math.max(byPath, titles === 1 ? 0.7 + 0.25 * paths : 0.5 * paths + 0.45 * titles);
}

/** Titles in browsers often end with the name of the site: `Quick start | Acme`. */
function titleLikeness(a: Indexed, b: Indexed, weight: Weight): number {
  const [first = ''] = a.title.split(/\s[|·—–-]\s/);
  return Math.max(
    overlap(a.titleWords, b.titleWords, weight),
    overlap(wordsOf(first), b.titleWords, weight),
  );
}

/** The share of the words of both that both have (Dice), by their weights. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>, weight: Weight): number {
  const sum = (words: Iterable<string>) => [...words].reduce((all, word) => all + weight(word), 0);
  const all = sum(a) + sum(b);
  return all === 0 ? 0 : (2 * sum(a.intersection(b))) / all;
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The redirects as a part of `docs.yaml`. */
export function redirectsYaml(
  redirects: readonly { readonly from: string; readonly to: string }[],
): string {
  const entries = redirects.map(({ from, to }) => [from, to]);
  return stringify({ redirects: Object.fromEntries(entries) }, { lineWidth: 0 });
}
