const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The first letters of the first and the last word of a name, in capitals; of an address, of what is before the `@`. */
export function initialsOf(name: string): string {
  const words = name
    .replace(/@.*$/, '')
    .split(/[\s._-]+/)
    .filter(Boolean);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word = '') => firstLetter(word)).join('');
}

function firstLetter(word: string): string {
  const [first] = letters.segment(word);
  const letter = first?.segment ?? '';
  // `ß` becomes two letters.
  const capital = letter.toLocaleUpperCase();
  return capital.length > letter.length ? letter : capital;
}

/** Which of so many tones a text has: always the same one. FNV-1a. */
export function toneOf(text: string, count: number): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text.toLowerCase())) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  // Its last bits alone are much alike where texts have one end, as addresses of one company have.
  return (hash >>> 16) % count;
}
