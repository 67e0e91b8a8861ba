import { lineText, type SyntaxProblem } from './source.ts';

/** Where the parser stopped: an offset, a length in characters, and the line, 1 for the first. */
export interface JsonPlace {
  readonly text: string;
  readonly offset: number;
  readonly length: number;
  readonly line: number;
  /** The innermost bracket that is open there, and the one that was closed last. */
  readonly open: OpenBracket | undefined;
  readonly left: OpenBracket | undefined;
}

/** Where an object or a list begins. */
export interface OpenBracket {
  readonly bracket: '{' | '[';
  readonly line: number;
}

/** The meaning of the parser's error code at its place, in words for the author. */
export function jsonProblem(code: string, place: JsonPlace): SyntaxProblem {
  const { line } = place;
  const said = isConflictMarker(lineText(place.text, place.offset))
    ? mergeConflict(line)
    : (WORDS[code]?.(place) ?? `This is not JSON: ${here(place)} cannot stand here.`);
  return typeof said === 'string' ? { message: said, path: '', line } : { ...said, path: '' };
}

/** A conflict marker of git. */
export const isConflictMarker = (line: string): boolean => /^(?:<{7}|={7}|>{7})(?: |$)/.test(line);

export const mergeConflict = (line: number): string =>
  `Line ${line} is a mark that git left where two versions differ. Keep one version, and remove the marks.`;

type Words = (place: JsonPlace) => string | { readonly message: string; readonly line: number };

const WORDS: Record<string, Words> = {
  InvalidSymbol: (place) => {
    const word = token(place);
    // After `{`, or a comma in an object, a name must follow.
    if (/[{,]$/.test(before(place)) && place.open?.bracket === '{') {
      return /^'/.test(word)
        ? 'The name of a member must be in double quotes, not in single ones.'
        : `The name of a member must be in double quotes: \`"${word}"\`.`;
    }
    if (/^'/.test(word)) return 'Text must be in double quotes, not in single ones.';
    if (/^[-+.\d]/.test(word)) return noNumber(word);
    return `\`${word}\` is not a value in JSON. Text must be in double quotes; the only words without them are true, false and null.`;
  },
  InvalidNumberFormat: (place) => noNumber(token(place)),
  UnexpectedEndOfNumber: (place) => noNumber(token(place)),
  PropertyNameExpected: valueExpected,
  ValueExpected: valueExpected,
  ColonExpected: (place) => {
    const name = /"[^"\n]{0,60}"$/.exec(before(place))?.[0] ?? 'the name';
    return `A colon is missing after \`${name}\`. Write \`"name": value\`.`;
  },
  CommaExpected: (place) => {
    const { text, line } = place;
    const last = before(place);
    const [number] = /\b0$/.test(last) && /^\d/.test(token(place)) ? [`0${token(place)}`] : [];
    if (number !== undefined) return noNumber(number);
    const lastLine = line - (text.slice(last.length, place.offset).split('\n').length - 1);
    return lastLine === line
      ? `A comma is missing before ${here(place)}.`
      : {
          message: `A comma is missing at the end of line ${lastLine}, before what follows on line ${line}.`,
          line: lastLine,
        };
  },
  CloseBraceExpected: unclosed,
  CloseBracketExpected: unclosed,
  EndOfFileExpected: (place) =>
    `The document ends before ${here(place)}. Remove that, or look for a bracket that is closed too early.`,
  InvalidCommentToken: () => 'JSON has no comments. Remove this one.',
  UnexpectedEndOfComment: () => 'JSON has no comments. Remove this one.',
  UnexpectedEndOfString: () => 'The closing double quote of the text that begins here is missing.',
  InvalidUnicode: () => 'After \\u in text there must be four hexadecimal digits, such as \\u00e9.',
  InvalidEscapeCharacter: () =>
    'JSON has no such escape in text. Write a backslash itself as `\\\\`.',
  InvalidCharacter: () =>
    'A control character in text, such as a tab or a line break, must be written with a backslash: `\\t`, `\\n`.',
};

const noNumber = (word: string) =>
  `\`${word}\` is not a number in JSON. Numbers are written like 0.5, -1 or 1e9.`;

/** Usually a trailing comma. */
function valueExpected(place: JsonPlace): ReturnType<Words> {
  const { text, offset, line, open } = place;
  const last = before(place);
  const lastLine = line - (text.slice(last.length, offset).split('\n').length - 1);
  const isEnd = /^[}\]]/.test(text.slice(offset, offset + 1));
  if (last.endsWith(',') && isEnd) {
    const what = open?.bracket === '[' ? 'item' : 'member';
    return {
      message: `There is a comma after the last ${what}, and JSON takes none there. Remove it.`,
      line: lastLine,
    };
  }
  if (text.startsWith(',', offset)) return 'There is a comma too many here. Remove it.';
  if (last.endsWith(':')) {
    const name = /"[^"\n]{0,60}"\s*:$/.exec(last)?.[0] ?? ':';
    return { message: `The value is missing after \`${name}\`.`, line: lastLine };
  }
  if (offset >= text.length) return 'The document ends too early: a value is missing.';
  if (open?.bracket === '{') {
    return `The name of a member, in double quotes, must stand in place of ${here(place)}.`;
  }
  return `A value must stand in place of ${here(place)}.`;
}

function unclosed({ left, line }: JsonPlace): ReturnType<Words> {
  const [opening, closing] = left?.bracket === '[' ? '[]' : '{}';
  return `The \`${opening}\` of line ${left?.line ?? line} is never closed. Put a \`${closing}\` where it ends.`;
}

/** The text before the place, without the white space at its end. */
function before({ text, offset }: JsonPlace): string {
  return text.slice(0, offset).trimEnd();
}

const MAX_SHOWN = 40;

function token({ text, offset, length }: JsonPlace): string {
  return text.slice(offset, offset + Math.min(length, MAX_SHOWN));
}

/** The text from the place to the end of its line, as code. */
function here({ text, offset }: JsonPlace): string {
  const rest =
    text
      .slice(offset, offset + 1_000)
      .split('\n')[0]
      ?.trim() ?? '';
  return rest === '' ? 'the end of the document' : `\`${rest.slice(0, MAX_SHOWN)}\``;
}
