let segmenter: Intl.Segmenter | undefined;

/** What a reader takes for one character, such as a flag or a family: Unicode, annex 29. Its creation takes 20 ms. */
function characters(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter;
}

/** The beginning of a text, of at most `most` letters (UTF-16), which ends between two characters. */
export function prefix(text: string, most: number): string {
  if (text.length <= most) return text;
  // A character of very many code points may begin far before the cut: then it is cut between code points.
  const start = Math.max(0, most - LONGEST_CHARACTER);
  const last = characters()
    .segment(text.slice(start, most + LONGEST_CHARACTER))
    .containing(most - start);
  const end = last && last.index > 0 ? start + last.index : most;
  return text.slice(0, isLowSurrogate(text, end) ? end - 1 : end);
}

/** How many letters are examined on both sides of a cut. Longer characters are artificial. */
const LONGEST_CHARACTER = 64;

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** A text of at most `most` letters, with an ellipsis where it was cut. */
export function truncate(text: string, most: number): string {
  return text.length > most ? `${prefix(text, most - 1).trimEnd()}…` : text;
}

/** A number of bytes as people read it: `29 bytes`, `12 kB`, `3.4 MB`, `1.2 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return count(bytes, 'byte');
  // What is rounded up to a thousand is one of the next unit.
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} kB`;
  return bytes < 999_950_000
    ? `${(bytes / 1_000_000).toFixed(1)} MB`
    : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** A size with the limit that it is above: `3.0 GB, more than the 50.0 MB`; in bytes where both would read the same. */
export function sizeAndLimit(size: number, most: number): string {
  const isSame = formatBytes(size) === formatBytes(most);
  const inWords = (bytes: number) =>
    isSame ? `${bytes.toLocaleString('en')} bytes` : formatBytes(bytes);
  return `${inWords(size)}, more than the ${inWords(most)}`;
}

/** `1 file`, `2 files`. */
export function count(number: unknown, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
