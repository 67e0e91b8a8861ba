import { MATCH, MAX_PLACES } from './format.ts';
import type { Match } from './match-terms.ts';
import { decodeDocuments, decodePlaces } from './postings.ts';

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

/** All documents that have some of the words, and the best name of each where names have them. */
export function findCandidates(matches: readonly Match[]): Candidate[] {
  const found = matches.map(weigh);
  const documents = new Map<number, Set<number>>();
  for (const { own, places } of found) {
    for (const document of own.keys())
      if (!documents.has(document)) documents.set(document, new Set());
    for (const key of places.keys()) {
      const document = Math.floor(key / MAX_PLACES);
      const known = documents.get(document) ?? new Set();
      documents.set(document, known.add(key));
    }
  }
  const all = sumOf(matches, () => 1);
  return [...documents].flatMap(([document, keys]) => {
    const own = (at: number) => found[at]?.own.get(document) ?? 0;
    const named = (at: number) => found[at]?.named.get(document) ?? 0;
    const whole = shareOf(matches, (at) => Math.max(own(at), OF_NAME * named(at)), all);
    const alone = shareOf(matches, own, all);
    const candidates: Candidate[] = [];
    const best = [...keys]
      .map((key) => placeCandidate(document, key, { matches, found, own, all }))
      .reduce<Candidate | undefined>((a, b) => (a && a.score >= b.score ? a : b), undefined);
    const isBest = best !== undefined && best.share >= whole.share && best.score > alone.score;
    if (!isBest) candidates.push({ document, place: undefined, isName: false, ...whole });
    if (best && isBest) candidates.push(best);
    else if (best?.isName) candidates.push({ ...best, score: BESIDE * best.score });
    return candidates;
  });
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
  const raise = (weights: Map<number, number>, key: number, weight: number) =>
    weights.set(key, Math.max(weights.get(key) ?? 0, weight));
  for (const { stored, nearness } of hits) {
    const [, documents, inPlaces = []] = stored;
    for (const { document, weight } of decodeDocuments(documents)) {
      raise(own, document, weight * nearness);
    }
    for (const { document, place, match } of decodePlaces(inPlaces)) {
      const key = document * MAX_PLACES + place;
      const weight = (PLACE_WEIGHTS[match as keyof typeof PLACE_WEIGHTS] ?? 0) * nearness;
      raise(places, key, weight);
      raise(named, document, weight);
      if (match >= MATCH.received && nearness === 1) same.add(key);
    }
  }
  return { own, places, named, same };
}

function placeCandidate(
  document: number,
  key: number,
  {
    matches,
    found,
    own,
    all,
  }: {
    matches: readonly Match[];
    found: readonly Weights[];
    own: (at: number) => number;
    all: number;
  },
): Candidate {
  const weight = (at: number) => Math.max(found[at]?.places.get(key) ?? 0, OF_DOCUMENT * own(at));
  const isName = found.length === 1 && found[0]?.same.has(key) === true;
  return { document, place: key % MAX_PLACES, isName, ...shareOf(matches, weight, all) };
}

/** The score, and the share of the query, of something that weighs so much for each word. */
function shareOf(
  matches: readonly Match[],
  weight: (at: number) => number,
  all: number,
): { score: number; share: number } {
  const isFound = (at: number) => (weight(at) > 0 ? 1 : 0);
  const share = all === 0 ? 1 : sumOf(matches, isFound) / all;
  const score = matches.reduce((sum, { worth }, at) => sum + worth * weight(at), 0);
  return { score: score * share ** 2, share };
}

function sumOf(matches: readonly Match[], count: (at: number) => number): number {
  return matches.reduce(
    (sum, { worth, isOptional }, at) => (isOptional ? sum : sum + worth * count(at)),
    0,
  );
}
