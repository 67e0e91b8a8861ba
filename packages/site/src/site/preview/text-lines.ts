import type { Font } from './atlas.ts';

const ELLIPSIS = '…';

/** Hyphens that the atlas lacks. */
const HYPHENS = /[\u2010\u2011]/g;

/** Emoji, and letters that are not seen: a text is read without them. */
const OMITTED =
  /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\p{Variation_Selector}|\p{Cf}/gu;

/**
 * A text as it can be drawn: one line, without emoji. Empty where the font lacks one of its letters, since a text with
 * holes is worse than none.
 */
export function drawable(text: string, { glyphs }: Font): string {
  const plain = text
    .normalize('NFC')
    .replace(OMITTED, (mark) => (glyphs.has(mark) ? mark : ''))
    .replace(HYPHENS, '-')
    .replace(/\s+/g, ' ')
    .trim();
  for (const letter of plain) if (letter !== ' ' && !glyphs.has(letter)) return '';
  return plain;
}

/** A space's share of the font's size. */
const SPACE = 0.27;

/** The places of a text's letters from its beginning, and its end, in pixels. */
export function layOut(
  text: string,
  font: Font,
): { readonly places: readonly number[]; readonly width: number } {
  const places: number[] = [];
  let [pen, before] = [0, ''];
  for (const letter of text) {
    pen += before === '' ? 0 : font.kerning(before, letter);
    places.push(pen);
    pen += font.glyphs.get(letter)?.advance ?? SPACE * font.size;
    before = letter;
  }
  return { places, width: pen };
}

const widthOf = (text: string, font: Font) => layOut(text, font).width;

/** A line may end after a space, and after a slash. */
const PARTS = /[^\s/]*(?:\/+|\s+|$)/g;

/** The lines of a text that are at most `width` pixels wide, `most` of them. What is too long is cut, with an ellipsis. */
export function linesOf(text: string, font: Font, width: number, most: number): string[] {
  const lines: string[] = [];
  if (most === 0) return lines;
  let line = '';
  for (const [part] of text.matchAll(PARTS)) {
    if (widthOf((line + part).trimEnd(), font) <= width) {
      line += part;
      continue;
    }
    if (line.trim() !== '') lines.push(line.trimEnd());
    if (lines.length === most) return [...lines.slice(0, -1), cut(lines.at(-1) ?? '', font, width)];
    line = widthOf(part.trimEnd(), font) <= width ? part : `${cut(part, font, width)} `;
  }
  return line.trim() === '' ? lines : [...lines, line.trimEnd()];
}

/** The beginning of a text that has room, with an ellipsis. */
function cut(text: string, font: Font, width: number): string {
  const letters = [...text.trimEnd()];
  while (letters.length > 0 && widthOf(letters.join('').trimEnd() + ELLIPSIS, font) > width)
    letters.pop();
  return letters.join('').trimEnd() + ELLIPSIS;
}
