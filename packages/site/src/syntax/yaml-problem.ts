import { count } from '@petstore/service/text.ts';
import {
  type Document,
  type ErrorCode,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Scalar,
  visit,
  type YAMLError,
} from 'yaml';
import { isConflictMarker, mergeConflict } from './json-problem.ts';
import { columnOf, lineText } from './source.ts';

/** A problem that keeps a text from being YAML, and the line to fix. */
export interface YamlProblem {
  readonly message: string;
  readonly line: number;
}

/** A line of the text by its number, and the line number of a place: 1 for the first. */
interface Lines {
  readonly text: string;
  /** The line number for the reader: a page's front matter begins on its second line. */
  readonly lineAt: (offset: number) => number;
}

interface Place extends Lines {
  readonly document: Document;
  readonly error: YAMLError;
  readonly start: number;
  readonly line: number;
}

/**
 * The first problem of a text, in words for its author; undefined where there is none. Later problems mostly follow
 * from it.
 */
export function yamlProblem(document: Document, lines: Lines): YamlProblem | undefined {
  const [first] = document.errors;
  if (!first) return undefined;
  // A name that begins with a star is read as an alias, and fails only at its end.
  const star = document.warnings.find(
    ({ code, pos }) => code === 'BAD_ALIAS' && pos[0] < first.pos[0],
  );
  const error = star ?? first;
  const start = error.code === 'BAD_INDENT' ? nextWord(lines.text, error.pos[0]) : error.pos[0];
  const place = { ...lines, document, error, start, line: lines.lineAt(start) };
  const said = isConflictMarker(lineText(lines.text, start))
    ? mergeConflict(place.line)
    : (WORDS[error.code]?.(place) ?? unknown(place));
  return typeof said === 'string' ? { message: said, line: place.line } : said;
}

type Words = (place: Place) => string | YamlProblem | undefined;

const WORDS: Partial<Record<ErrorCode, Words>> = {
  ALIAS_PROPS: () =>
    'A reference such as `*name` takes no tag and no anchor of its own. Leave out what stands before it.',
  BAD_ALIAS: (place) =>
    `\`${word(place)}\` is not in quotes, and ${/^&/.test(rest(place)) ? '`&` names a value' : '`*` refers to a named value'} in YAML. Put the text in quotes: ${inQuotes(word(place))}.`,
  BAD_DIRECTIVE: () => 'A line that begins with `%` is an instruction to YAML. Leave this one out.',
  BAD_DQ_ESCAPE: ({ error }) => {
    const sequence = error.message.replace('Invalid escape sequence ', '');
    return `\`${sequence}\` means nothing in double quotes. Write the backslash twice (\`\\${sequence}\`), or put the text in single quotes.`;
  },
  BAD_INDENT: (place) =>
    byMessage(place, [
      [/^Flow/, unclosedOrShallow],
      [
        /^Block scalar/,
        () => 'This text is indented less than its first line. Indent its lines alike.',
      ],
      [/^All sequence items/, itemsColumn],
      [/^All mapping items/, membersColumn],
    ]),
  BAD_PROP_ORDER: () => 'An anchor (`&name`) or tag (`!tag`) must come after the `-`, `?` or `:`.',
  BAD_SCALAR_START: (place) =>
    `Text that begins with ${code(rest(place).charAt(0))} must be in quotes: ${inQuotes(rest(place))}.`,
  BLOCK_AS_IMPLICIT_KEY: (place) =>
    /sequence/.test(place.error.message) ? itemsColumn(place) : secondColon(place),
  BLOCK_IN_FLOW: () => COMMA_IN_BRACKETS,
  DUPLICATE_KEY: (place) => `\`${word(place)}\` is there twice. Keep one of the two.`,
  KEY_OVER_1024_CHARS: () =>
    'The name of a member is longer than 1,024 characters. Shorten it, or look for a colon that belongs into quotes.',
  MISSING_CHAR: (place) =>
    byMessage(place, [
      [/^Missing closing/, unclosedQuote],
      [/must end with/, unclosedOrShallow],
      [/^Comments/, touchingComment],
      [
        /^Sequence item/,
        ({ line }) =>
          `Line ${line} belongs to no item of the list above it. Begin it with \`- \`, or in the column of the item's other members.`,
      ],
      [/^Implicit map keys/, missingColon],
      [
        /^Missing directives-end/,
        () => 'Put a line `---` between the lines with `%` and the rest.',
      ],
      [/^Block collection/, () => 'Nothing may follow `---` on its line. Begin on the next one.'],
      [
        /^Block scalar/,
        () =>
          'The text begins with an empty line that is indented deeper than its words. Remove the spaces of the empty line.',
      ],
      [/^Missing space after/, () => 'Put a space after the colon.'],
      [/^Missing , /, () => COMMA_IN_BRACKETS],
      [/^Tags and anchors/, () => 'Put a space after the anchor (`&name`) or tag (`!tag`).'],
      [/^Missing newline/, () => 'Begin the list on the line after its anchor or tag.'],
    ]),
  MULTILINE_IMPLICIT_KEY: (place) => {
    if (/^- ?/.test(rest(place))) return listAmongMembers(place);
    const isInBrackets = place.document.errors.some(
      ({ code, pos }) => code === 'BLOCK_IN_FLOW' && pos[0] === place.start,
    );
    return isInBrackets ? COMMA_IN_BRACKETS : missingColon(place);
  },
  MULTIPLE_ANCHORS: () => 'A value has two anchors (`&name`). Keep one of them.',
  MULTIPLE_TAGS: () => 'A value has two tags (`!tag`). Keep one of them.',
  RESOURCE_EXHAUSTION: () => 'Lists and objects are nested too deeply here.',
  TAB_AS_INDENT: ({ line }) =>
    `Tabs cannot indent a line in YAML. Replace those at the beginning of line ${line} with spaces.`,
  TAG_RESOLVE_FAILED: (place) =>
    `YAML doesn't know the tag \`${word(place)}\`. Leave it out; text that begins with \`!\` must be in quotes.`,
  UNEXPECTED_TOKEN: (place) =>
    byMessage(place, [
      [/block-seq-ind on same line/, listAfterName],
      [/at node end/, afterEnd],
      [/^Unexpected flow-\w+-end/, ({ error }) => tooMany(error.message.at(-2) ?? '')],
      [/^Unexpected ,|^Unexpected empty item/, () => 'There is a comma too many here.'],
      [
        /^Block scalar header/,
        () => 'Nothing may follow `|` or `>` on its line: the text begins on the next one.',
      ],
    ]),
};

const COMMA_IN_BRACKETS =
  'Between { and }, or [ and ], a comma must come after each value but the last: one is missing here.';

function byMessage(place: Place, table: readonly (readonly [RegExp, Words])[]) {
  return table.find(([pattern]) => pattern.test(place.error.message))?.[1](place);
}

function unknown(place: Place): string {
  const here = rest(place);
  const what = here === '' ? 'Something is missing here' : `${code(here)} cannot stand here`;
  return `${what}. Look for a quote, bracket or colon that is missing on this line or above it.`;
}

/** `title: A` with `version: "1"` indented below it, or `title: A: b`. */
function secondColon(place: Place): string | YamlProblem {
  const { document, start, text, line, lineAt } = place;
  const over = document.errors.find(
    ({ code, pos }) => code === 'MULTILINE_IMPLICIT_KEY' && pos[0] === start,
  );
  const end = over && lastOf(text, over.pos[1]);
  if (end !== undefined && indentOf(text, end) > indentOf(text, start)) {
    const deeper = lineAt(end);
    return {
      message: `Line ${deeper} is indented deeper than line ${line}, which already has a value. Begin both in the same column, or take the value of line ${line} away.`,
      line: deeper,
    };
  }
  if (/^["']/.test(rest(place))) {
    return 'More follows the closing quote of this value. Put all of it in quotes.';
  }
  return `The value ${code(rest(place))} has a colon in it. Put it in quotes: ${inQuotes(rest(place))}.`;
}

/** `info` instead of `info:`, or `openapi:3.1.0`. */
function missingColon(place: Place): string {
  const { line } = place;
  const here = rest(place);
  if (/^["']/.test(here)) {
    return 'A name and its colon must be on the same line. Look for a quote that is not closed here.';
  }
  const [, name, value] = /^([^\s:"']+):(\S.*)$/.exec(here) ?? [];
  if (name !== undefined) {
    return `Line ${line} has no space after its colon. Write ${code(`${name}: ${value}`)}.`;
  }
  return /\s/.test(here)
    ? `Line ${line}, ${code(here)}, has no colon after its name. Write \`name: value\`.`
    : `Line ${line}, ${code(here)}, has no colon. Write ${code(`${here}:`)} in front of what belongs to it, or ${code(`${here}: value`)}.`;
}

function listAfterName(place: Place): string {
  // As the first word of its line it stands beside a member; otherwise behind the name.
  return indentOf(place.text, place.start) === columnOf(place.text, place.start)
    ? listAmongMembers(place)
    : 'A list begins on the line after its name. Put each `- item` on a line of its own.';
}

function listAmongMembers({ line }: Place): string {
  return `Line ${line} is an item of a list, but what is above it are members of an object. Put the list under a name that ends in a colon, or leave out the \`-\`.`;
}

function itemsColumn({ line }: Place): string {
  return `Line ${line} begins in another column than the list's items above it. Begin each \`-\` of a list in the same column.`;
}

function membersColumn(place: Place): string {
  const { text, start, line, lineAt } = place;
  const has = count(indentOf(text, start), 'space');
  const above = lineAbove(text, start);
  const item = /^( *(?:- +)+)\S/.exec(lineText(text, above));
  if (item?.[1] !== undefined) {
    return `Line ${line} is indented by ${has}; what belongs to the list item above it, by ${count(item[1].length, 'space')}. Begin all members of an item in the same column, and a new item with \`- \`.`;
  }
  return `Line ${line} is indented by ${has}, line ${lineAt(above)} by ${count(indentOf(text, above), 'space')}, and no object that is open begins there. Begin all members of an object in the same column.`;
}

/** A bracket that is not closed before a line that cannot be inside it. */
function unclosedOrShallow(place: Place): string {
  const { document, start, error, lineAt, line } = place;
  const closing = error.message.at(-1) ?? '';
  let from: number | undefined;
  visit(document, {
    Collection: (_key, node) => {
      const [begin = 0] = node.range ?? [];
      if (isCollection(node) && node.flow && begin < start) from = begin;
    },
  });
  const opening = closing === ']' ? '[' : '{';
  const where = from === undefined ? '' : ` of line ${lineAt(from)}`;
  return error.code === 'BAD_INDENT'
    ? `The \`${opening}\`${where} is not closed before line ${line}. Put a \`${closing}\` where it ends; lines within the two must be indented deeper than the line where it begins.`
    : `The \`${opening}\`${where} is never closed. Put a \`${closing}\` where it ends.`;
}

/** The parser reads on to the end, but the missing quote belongs to where the text begins. */
function unclosedQuote({ document, start, lineAt, line }: Place): string | YamlProblem {
  const from = quotedTextBefore(document, start);
  return {
    message: 'The closing quote of the text that begins here is missing.',
    line: from === undefined ? line : lineAt(from),
  };
}

function afterEnd({ document, text, start, line, lineAt }: Place): string | YamlProblem {
  const before = lineText(text, start).slice(0, columnOf(text, start)).trimEnd();
  if (!/["']$/.test(before)) {
    return 'More follows the end of this value. Put all of it in quotes, or on a line of its own.';
  }
  const from = quotedTextBefore(document, start);
  const begins = from === undefined ? line : lineAt(from);
  return begins === line
    ? 'More follows the closing quote of this value. Put all of it in quotes.'
    : {
        message: `The text in quotes that begins on line ${begins} ends on line ${line} only, where more follows it. Its closing quote is missing on line ${begins}.`,
        line: begins,
      };
}

/**
 * `"#"` in a text whose quote has been open since an earlier line ends that text, and begins what looks like a comment.
 */
function touchingComment(place: Place): string | YamlProblem {
  const said = afterEnd(place);
  return typeof said === 'string'
    ? 'Put a space before the `#` of a comment; text with a `#` in quotes.'
    : said;
}

/** The start of the last quoted text that begins before `end`. */
function quotedTextBefore(document: Document, end: number): number | undefined {
  let from: number | undefined;
  visit(document, {
    Scalar: (_key, { type, range }) => {
      if (range && /^QUOTE/.test(type ?? '') && range[0] < end) from = range[0];
    },
  });
  return from;
}

function tooMany(bracket: string): string {
  return `There is a \`${bracket}\` too many here: nothing is open that it could close.`;
}

/** The first alias without an anchor before it, or the first merge (`<<`) of something that is not an object. */
export function aliasProblem(document: Document, { lineAt }: Lines): YamlProblem | undefined {
  const anchors = new Set<string>();
  let problem: YamlProblem | undefined;
  visit(document, {
    Alias: (_key, { source, range }) => {
      if (anchors.has(source)) return undefined;
      problem = {
        message: `\`*${source}\` refers to a value named \`&${source}\`, but no value before it has that name. Text that begins with \`*\` must be in quotes.`,
        line: lineAt(range?.[0] ?? 0),
      };
      return visit.BREAK;
    },
    Pair: (_key, { key, value }) => {
      if (!isScalar(key) || nameOf(key) !== '<<') return undefined;
      const sources = isSeq(value) ? value.items : [value];
      const isMergeable = (one: unknown) =>
        isMap(isAlias(one) && anchors.has(one.source) ? one.resolve(document) : one);
      if (sources.every((one) => isMergeable(one) || isAlias(one))) return undefined;
      problem = {
        message:
          '`<<` takes over the members of other objects. Its value must be one such as `*name`, or a list of them.',
        line: lineAt(key.range?.[0] ?? 0),
      };
      return visit.BREAK;
    },
    Value: (_key, { anchor }) => {
      if (anchor !== undefined) anchors.add(anchor);
    },
  });
  return problem;
}

/** The name of a member. The library has a symbol for that of a merge (`<<`). */
export function nameOf({ value }: Scalar): string {
  return typeof value === 'symbol' ? (value.description ?? '') : String(value);
}

const MAX_QUOTED = 60;

/** The text from the error to the end of its line. */
function rest({ text, start }: Place): string {
  return lineText(text, start)
    .slice(columnOf(text, start))
    .replace(/\s+#.*$/, '')
    .trim()
    .slice(0, MAX_QUOTED);
}

/** Its first word, without the colon after a name. */
function word(place: Place): string {
  // The error of an alias that ends in a colon is placed at that colon.
  const before = lineText(place.text, place.start).slice(0, columnOf(place.text, place.start));
  const begun = /[*&]\S*$/.exec(before)?.[0] ?? '';
  return (begun + (rest(place).split(/\s/)[0] ?? '')).replace(/:$/, '');
}

/** Quoted, so that YAML reads it as text whatever it contains. */
function inQuotes(value: string): string {
  return code(/["\\]/.test(value) ? `'${value.replaceAll("'", "''")}'` : `"${value}"`);
}

/** As code in a sentence. */
function code(text: string): string {
  return text.includes('`') ? `“${text}”` : `\`${text}\``;
}

function indentOf(text: string, offset: number): number {
  return /^ */.exec(lineText(text, offset))?.[0].length ?? 0;
}

/** The last character of a range that ends before `end`, without the white space after it. */
function lastOf(text: string, end: number): number {
  let at = end - 1;
  while (at > 0 && /\s/.test(text.charAt(at))) at -= 1;
  return at;
}

/** The offset of the next content after empty lines and comments. */
function nextWord(text: string, offset: number): number {
  const [skipped = ''] = /^(?:[ \t]*(?:#.*)?\r?\n)*/.exec(text.slice(offset)) ?? [];
  return skipped.length < text.length - offset ? offset + skipped.length : offset;
}

/** The nearest line above that is not empty; the first line where there is none. */
function lineAbove(text: string, offset: number): number {
  let end = offset - columnOf(text, offset) - 1;
  while (end > 0 && /^\s*(?:#|$)/.test(lineText(text, end))) end -= columnOf(text, end) + 1;
  return Math.max(0, end);
}
