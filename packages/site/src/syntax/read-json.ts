import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import { parseJson } from './exact-text.ts';
import { jsonProblem, type OpenBracket } from './json-problem.ts';
import { MAX_DEPTH, nestingProblem, type Source, type SyntaxProblem, toPointer } from './source.ts';

const OPTIONS = { disallowComments: true, allowTrailingComma: false };

/** Reads JSON (RFC 8259). Integers beyond 2^53 become bigints. */
export function readJson(text: string): Source | { problem: SyntaxProblem } {
  const value = soundValue(text);
  if (value === undefined) {
    const problem = findProblem(text);
    if (problem) return { problem };
  }
  return { syntax: 'JSON', value: value ?? parseJson(text), lineOf: lineFinder(text) };
}

/**
 * The value of a text in which nothing is wrong; undefined where something may be. A name that occurs twice leaves fewer
 * members than the text has. To visit each mark with its place, as `findProblem` does, takes five times as long.
 */
function soundValue(text: string): unknown {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  return countMembers(value) === countNames(text) ? value : undefined;
}

/** How many members all objects of a value have; NaN where it is nested too deeply or has a number without end. */
function countMembers(value: unknown, depth = 0): number {
  if (value === Infinity || value === -Infinity) return Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  if (depth >= MAX_DEPTH) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item, depth + 1);
    return count;
  }
  for (const name in value)
    count += 1 + countMembers((value as Record<string, unknown>)[name], depth + 1);
  return count;
}

/** How many names of members a text has that is JSON: the colons outside of strings. */
function countNames(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === COLON) count += 1;
  }
  return count;
}

/** Finds problems that JSON.parse would not report, or not with their place. */
function findProblem(text: string): SyntaxProblem | undefined {
  const names: Set<string>[] = [];
  const open: OpenBracket[] = [];
  /** The visitor leaves an object before it reports that its end is missing. */
  let left: OpenBracket | undefined;
  let problem: SyntaxProblem | undefined;
  const found = (make: () => SyntaxProblem) => {
    problem ??= make();
  };
  const enter = (bracket: '{' | '[', line: number) => {
    open.push({ bracket, line: line + 1 });
    if (open.length > MAX_DEPTH) found(() => nestingProblem(line + 1));
    return problem === undefined;
  };
  const visitor: JSONVisitor = {
    onObjectBegin: (_offset, _length, line) => {
      names.push(new Set());
      return enter('{', line);
    },
    onObjectEnd: () => {
      names.pop();
      left = open.pop();
    },
    onArrayBegin: (_offset, _length, line) => enter('[', line),
    onArrayEnd: () => {
      left = open.pop();
    },
    onObjectProperty: (name, _offset, _length, line, _column, path) => {
      const before = names.at(-1);
      if (before?.has(name)) found(() => duplicate([...path(), name], line + 1));
      before?.add(name);
    },
    onLiteralValue: (value, _offset, _length, line, _column, path) => {
      if (value === Infinity || value === -Infinity) {
        found(() => ({
          message: 'This number is larger than any program keeps. Write it as text, in quotes.',
          path: toPointer(path()),
          line: line + 1,
        }));
      }
    },
    onError: (error, offset, length, line) =>
      found(() =>
        jsonProblem(printParseErrorCode(error), {
          ...{ text, offset, length, left },
          line: line + 1,
          open: open.at(-1),
        }),
      ),
  };
  try {
    visit(text, visitor, OPTIONS);
  } catch (error) {
    // This recursion is as deep as the text. By then too deep a nesting has been found.
    if (!(error instanceof RangeError)) throw error;
  }
  return problem;
}

export function duplicate(location: readonly (string | number)[], line: number): SyntaxProblem {
  return {
    message: `\`${location.at(-1)}\` is there twice. Keep one of the two.`,
    path: toPointer(location),
    line,
  };
}

/**
 * Finds lines in a text without problems. Each object and array on the way to a place is gone through once, and no
 * further than to the place: a tree of the whole would take half a gigabyte for a document of 10 MB.
 */
function lineFinder(text: string): Source['lineOf'] {
  const known = new Map<number, Members>();
  let lineAt: ((offset: number) => number) | undefined;
  return (location) => {
    let place = 0;
    let value = 0;
    for (const token of location) {
      const members = known.get(value) ?? new Members(text, value);
      known.set(value, members);
      const member = members.find(String(token));
      if (member === undefined) break;
      ({ place, value } = member);
    }
    lineAt ??= lineCounter(text);
    return lineAt(place);
  };
}

/** Where a member of an object or an item of an array stands in a text. */
interface Member {
  /** The offset of its name, of an item that of its value. */
  readonly place: number;
  readonly value: number;
}

/** The members of what begins at an offset, none where it is no object or array. */
class Members {
  readonly #found = new Map<string, Member>();
  readonly #others: Iterator<readonly [string, Member]>;

  constructor(text: string, start: number) {
    this.#others = membersAt(text, start);
  }

  /** Goes on through the text until the member is found. */
  find(name: string): Member | undefined {
    while (!this.#found.has(name)) {
      const next = this.#others.next();
      if (next.done) return undefined;
      this.#found.set(...next.value);
    }
    return this.#found.get(name);
  }
}

function* membersAt(text: string, start: number): Generator<readonly [string, Member]> {
  const begin = afterSpace(text, start);
  const open = text[begin];
  if (open !== '{' && open !== '[') return;
  let at = afterSpace(text, begin + 1);
  for (let index = 0; !CLOSING.has(text[at]); index += 1) {
    let name = String(index);
    let value = at;
    if (open === '{') {
      const end = endOfString(text, at);
      name = JSON.parse(text.slice(at, end)) as string;
      value = afterSpace(text, afterSpace(text, end) + 1);
    }
    yield [name, { place: at, value }];
    at = afterSpace(text, endOfValue(text, value));
    if (text[at] === ',') at = afterSpace(text, at + 1);
  }
}

const CLOSING: ReadonlySet<string | undefined> = new Set(['}', ']', undefined]);

/** The offset of the first mark from an offset on. */
function afterSpace(text: string, start: number): number {
  let at = start;
  // A byte order mark may stand at the beginning.
  for (; at < text.length; at += 1) if (!' \t\n\r\ufeff'.includes(text.charAt(at))) break;
  return at;
}

/** The offset behind the string that begins at an offset. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    if (end < 0) return text.length;
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    // After an even number of them none is left for the quotation mark.
    if (slashes % 2 === 0) return end + 1;
  }
}

const [BACKSLASH, COLON, QUOTE] = [0x5c, 0x3a, 0x22];

/** The offset behind the value that begins at an offset. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at) - 1;
      if (depth === 0) return at + 1;
    } else if (code === 0x7b || code === 0x5b) depth += 1;
    else if (code === 0x7d || code === 0x5d) {
      // The end of what a number, true, false or null is in.
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (code === 0x2c && depth === 0) return at;
  }
  return text.length;
}

/** Tells the line of an offset, 1 for the first. */
function lineCounter(text: string): (offset: number) => number {
  const ends: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
