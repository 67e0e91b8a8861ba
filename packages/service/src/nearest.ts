/** Longer words are not compared, and of very many candidates only the first ones are: it would take too long. */
const MAX_LENGTH = 255;
const MAX_CANDIDATES = 2_000;

/** How many pairs of letters are compared for a word: two thousand names of thirty letters, or fewer longer ones. */
const MAX_WORK = 2_000_000;

/** The candidate that `word` most probably means: at most a third of its letters away. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const written = word.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  let left = MAX_CANDIDATES;
  let work = MAX_WORK;
  for (const candidate of candidates) {
    if (left === 0) break;
    left -= 1;
    if (Math.abs(candidate.length - word.length) >= least) continue;
    work -= word.length * candidate.length;
    if (work < 0) break;
    const away = distance(written, candidate.toLowerCase(), least - 1);
    if (away < least) [best, least] = [candidate, away];
  }
  return best;
}

/** `: did you mean `x`?`, for the end of a sentence; a full stop when nothing is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = nearest(word, candidates);
  return near === undefined ? '.' : `: did you mean \`${near}\`?`;
}

/** For how many words of one place a near one is searched: nobody reads more problems than that. */
const MAX_WORDS = 50;

/**
 * `didYouMean` for places that may have any number of wrong words. After the first ones it returns a full stop only.
 */
export function didYouMeanOfMany(): typeof didYouMean {
  let left = MAX_WORDS;
  return (word, candidates) => {
    left -= 1;
    return left < 0 ? '.' : didYouMean(word, candidates);
  };
}

/**
 * Letters to insert, delete, replace, or swap with the next one (Damerau and Levenshtein's distance, of strings that
 * are aligned), of words of a few hundred letters at most. Of words that are further apart than `most` it says
 * `Infinity`, without looking at all pairs of letters.
 */
export function distance(a: string, b: string, most = Infinity): number {
  let from = 0;
  while (from < a.length && a[from] === b[from]) from += 1;
  let [endA, endB] = [a.length, b.length];
  while (Math.min(endA, endB) > from && a[endA - 1] === b[endB - 1])
    [endA, endB] = [endA - 1, endB - 1];
  const away = distanceWithin(a.slice(from, endA), b.slice(from, endB), most);
  return away <= most ? away : Infinity;
}

/** `distance` of what differs; any number above `most` where it is above. */
function distanceWithin(a: string, b: string, most: number): number {
  const width = b.length + 1;
  let before = new Uint16Array(width);
  let row = Uint16Array.from({ length: width }, (_, at) => at);
  let next = new Uint16Array(width);
  for (let i = 0; i < a.length; i += 1) {
    next[0] = i + 1;
    let least = i + 1;
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swapped = isSwap ? (before[j - 1] ?? 0) + 1 : Infinity;
      const away = Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1);
      next[j + 1] = away;
      if (away < least) least = away;
    }
    // Rows only grow; a swap, which skips this one, costs no less than the letter that it has here.
    if (least > most) return least;
    [before, row, next] = [row, next, before];
  }
  return row[b.length] ?? 0;
}
