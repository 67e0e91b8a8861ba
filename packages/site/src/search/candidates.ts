import { MATCH, MAX_PLACES } from './format.ts';
import type { Match } from './match-terms.ts';
import { forEachDocument, forEachPlace } from './postings.ts';

/** A document, or a name of it, that may be what is looked for. */
export interface Candidate {
  readonly document: number;
  /** The number of a parameter or property among those of the document; undefined for the document itself. */
  readonly place: number | undefined;
  /** How well it fits, compared with others. */
  readonly score: number;
  /** The share of the query that it has, by what its words say: 1 for all of it. */
  readonly share: number;
  /** The whole query is this name. */
  readonly isName: boolean;
  /** The document itself, whose title has one of the things that are asked for. */
  readonly isTitled: boolean;
}

/** What a name weighs by its match: see MATCH. */
const PLACE_WEIGHTS = {
  [MATCH.value]: 3,
  [MATCH.part]: 4,
  [MATCH.received]: 10,
  [MATCH.sent]: 12,
} as const;

/** A document counts with this share of what its names weigh, and a name with this share of its document. */
const OF_NAME = 0.3;
const OF_DOCUMENT = 0.4;

/** A name beside its document, which has all words too. */
const BESIDE = 0.7;

/** A document behind its name, whatever its title says. */
const BEHIND = 0.35;

/** A word weighs more than this only where the title has it: a path and a tag alone weigh no more. */
const TITLED = 5;

/**
 * All documents that have some of the words, and the best name of each where names have them. A word of three letters
 * has thousands of names, and this runs with each key that is pressed: so it goes through them with few objects.
 */
export function findCandidates(matches: readonly Match[]): Candidate[] {
  const found = matches.map(weigh);
  const worth = matches.map((match) => match.worth);
  const needed = matches.map((match) => (match.isOptional ? 0 : match.worth));
  const subjects = matches.map((match) => !match.isOptional && !match.isVerb);
  const all = needed.reduce((sum, one) => sum + one, 0);
  /** The score, and the share of the query, of something that weighs so much for each word. */
  const rate = (weights: readonly number[]): { score: number; share: number } => {
    let had = 0;
    let score = 0;
    for (const [at, weight] of weights.entries()) {
      if (weight > 0) had += needed[at] ?? 0;
      score += (worth[at] ?? 0) * weight;
    }
    const share = all === 0 ? 1 : had / all;
    return { score: score * share ** 2, share };
  };
  const candidates: Candidate[] = [];
  const weights = found.map(() => 0);
  for (const [document, keys] of placesByDocument(found)) {
    const own = found.map((one) => one.own.get(document) ?? 0);
    const ofNames = found.map((one) => one.named.get(document) ?? 0);
    const whole = rate(own.map((weight, at) => Math.max(weight, OF_NAME * (ofNames[at] ?? 0))));
    const alone = rate(own);
    let best: { key: number; score: number; share: number } | undefined;
    for (const key of keys) {
      for (const [at, { places }] of found.entries()) {
        weights[at] = Math.max(places.get(key) ?? 0, OF_DOCUMENT * (own[at] ?? 0));
      }
      const rated = rate(weights);
      if (!best || best.score < rated.score) best = { key, ...rated };
    }
    const isBest = best !== undefined && best.share >= whole.share && best.score > alone.score;
    const isTitled = own.some((weight, at) => weight > TITLED && subjects[at] === true);
    const itself = { document, place: undefined, isName: false, isTitled };
    if (!isBest) candidates.push({ ...itself, ...whole });
    if (!best) continue;
    const isName = found.length === 1 && found[0]?.same.has(best.key) === true;
    const place = { document, place: best.key % MAX_PLACES, isName, isTitled: false };
    const { score, share } = best;
    if (isBest) candidates.push({ ...place, score, share });
    else if (isName) candidates.push({ ...place, score: BESIDE * score, share });
    // Who types `upload file` may mean the operation that uploads as well as what it calls the file.
    if (isBest && found.length > 1 && own.some((weight) => weight > TITLED)) {
      candidates.push({ ...itself, ...whole, score: BEHIND * Math.min(whole.score, score) });
    }
  }
  return candidates;
}

/** The documents that have some of the words, each with its names that have some. */
function placesByDocument(found: readonly Weights[]): ReadonlyMap<number, ReadonlySet<number>> {
  const documents = new Map<number, Set<number>>();
  const namesOf = (document: number): Set<number> => {
    const known = documents.get(document);
    if (known !== undefined) return known;
    const names = new Set<number>();
    documents.set(document, names);
    return names;
  };
  for (const { own, places } of found) {
    for (const document of own.keys()) namesOf(document);
    for (const key of places.keys()) namesOf(Math.floor(key / MAX_PLACES)).add(key);
  }
  return documents;
}

interface Weights {
  /** What documents weigh by their own texts. */
  readonly own: ReadonlyMap<number, number>;
  /** What names weigh, by the number of the document and that of the name. */
  readonly places: ReadonlyMap<number, number>;
  /** The best of the names of each document. */
  readonly named: ReadonlyMap<number, number>;
  /** The names that are the typed word. */
  readonly same: ReadonlySet<number>;
}

function weigh({ hits }: Match): Weights {
  const own = new Map<number, number>();
  const places = new Map<number, number>();
  const named = new Map<number, number>();
  const same = new Set<number>();
  const raise = (weights: Map<number, number>, key: number, weight: number) => {
    if (weight > (weights.get(key) ?? -1)) weights.set(key, weight);
  };
  for (const { stored, nearness } of hits) {
    const [, documents, inPlaces = []] = stored;
    forEachDocument(documents, (document, weight) => raise(own, document, weight * nearness));
    forEachPlace(inPlaces, (document, place, match) => {
      const key = document * MAX_PLACES + place;
      const weight = (PLACE_WEIGHTS[match as keyof typeof PLACE_WEIGHTS] ?? 0) * nearness;
      raise(places, key, weight);
      raise(named, document, weight);
      if (match >= MATCH.received && nearness === 1) same.add(key);
    });
  }
  return { own, places, named, same };
}
