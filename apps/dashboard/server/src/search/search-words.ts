/** More words than that say nothing more. */
const MAX_WORDS = 8;

/**
 * The words of what somebody searches for, in small letters. A NUL, which no stored text has, and half of a letter end
 * a word.
 */
export function searchWords(query: string): string[] {
  const words = query
    .normalize('NFC')
    .toLowerCase()
    .split(/[\s\0\p{Cs}]+/u);
  return [...new Set(words.filter((word) => word !== ''))].slice(0, MAX_WORDS);
}
