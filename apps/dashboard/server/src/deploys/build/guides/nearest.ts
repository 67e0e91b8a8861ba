/** The candidate that `word` most probably means: at most a third of its letters away. */
function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const away = distance(word.toLowerCase(), candidate.toLowerCase());
    if (away < least) [best, least] = [candidate, away];
  }
  return best;
}

/** `: did you mean `x`?`, for the end of a sentence; a full stop when nothing is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = nearest(word, candidates);
  return near === undefined ? '.' : `: did you mean \`${near}\`?`;
}

/** Letters to insert, delete or replace (Levenshtein), of words of at most 255 letters. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
