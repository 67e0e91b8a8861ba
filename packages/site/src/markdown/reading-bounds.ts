/**
 * The parser's work grows with the letters of a text: 100,000 take it up to two seconds. It also grows with the square of
 * the marks in one block, within which brackets and emphasis are paired, and with the square of the items and quotes of
 * the whole text: 6,000 brackets take four seconds, 5,000 quotes three. Texts written for people rarely come near.
 */
const MAX_LETTERS = 100_000;
const MAX_MARKS = 1_500;
const MAX_ITEMS = 1_500;

/**
 * What all texts of a document together may have: letters, lines, and the sum of the squares of their marks and items.
 * Each takes the parser up to ten seconds. GitHub's 15,000 descriptions have a quarter of it.
 */
const ALL_LETTERS = 3_000_000;
const ALL_LINES = 60_000;
const ALL_WORK = 30_000_000;

/** Marks that the parser pairs. */
const PAIRED = /[*_~[\]!]/g;

/** The beginnings of items and quotes. */
const ITEMS = /^[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=\s))/gm;

/** A line with more nested quotes and items than any author means. */
const NESTED = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])){21}/m;

/** Says which texts are read as Markdown, within bounds for all that are asked for. */
export interface ReadingBounds {
  /** Why a text is not read; undefined where it may be, and then it is counted. */
  problem(text: string): string | undefined;
}

export function readingBounds(): ReadingBounds {
  let letters = ALL_LETTERS;
  let lines = ALL_LINES;
  let work = ALL_WORK;
  return {
    problem(text) {
      if (text.length > MAX_LETTERS) {
        return `it has more than ${MAX_LETTERS.toLocaleString('en')} characters`;
      }
      if (NESTED.test(text)) return 'it is nested too deeply';
      const items = count(text, ITEMS);
      if (items > MAX_ITEMS) return `it has more than ${MAX_ITEMS} items and quotes`;
      let square = items ** 2;
      for (const block of text.split(/\n[ \t\r]*\n/)) {
        const marks = count(block, PAIRED);
        if (marks > MAX_MARKS) return `it has more than ${MAX_MARKS} marks in one paragraph`;
        square += marks ** 2;
      }
      const breaks = count(text, /\n/g);
      if (text.length > letters || breaks > lines || square > work) {
        return 'the descriptions before it have as much Markdown as is read';
      }
      letters -= text.length;
      lines -= breaks;
      work -= square;
      return undefined;
    },
  };
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
