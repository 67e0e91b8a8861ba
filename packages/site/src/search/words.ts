// The words that typing errors are compared with, in order. Of each, the number of letters that it shares with the one
// before, and the rest: `0list4s2ter` for `list`, `lists`, `liter`.

/** Words that a typing error can be of: letters alone. */
const WORD = /^[\p{L}\p{M}]{3,30}$/u;

export const isWord = (term: string): boolean => WORD.test(term);

export function packWords(sorted: readonly string[]): string {
  let before = '';
  let packed = '';
  for (const word of sorted) {
    let shared = 0;
    while (shared < word.length - 1 && word[shared] === before[shared]) shared += 1;
    packed += `${shared}${word.slice(shared)}`;
    before = word;
  }
  return packed;
}

export function unpackWords(packed: string): string[] {
  const words: string[] = [];
  let before = '';
  for (const [, shared, rest] of packed.matchAll(/(\d+)(\D+)/g)) {
    before = `${before.slice(0, Number(shared))}${rest}`;
    words.push(before);
  }
  return words;
}
