import { createScanner, type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import { parseJson } from './exact-text.ts';
import { jsonProblem, type OpenBracket } from './json-problem.ts';
import { MAX_DEPTH, nestingProblem, type Source, type SyntaxProblem, toPointer } from './source.ts';

const OPTIONS = { disallowComments: true, allowTrailingComma: false };

/** Reads JSON (RFC 8259). Integers beyond 2^53 become bigints. */
export function readJson(text: string): Source | { problem: SyntaxProblem } {
  const problem = findProblem(text);
  if (problem) return { problem };
  const value = parseJson(text);
  return { syntax: 'JSON', value, lineOf: lineFinder(text) };
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
 * Finds lines in a text without problems. Each object and array on the way to a place is gone through once: a tree of
 * the whole would take half a gigabyte for a document of 10 MB.
 */
function lineFinder(text: string): Source['lineOf'] {
  const known = new Map<number, ReadonlyMap<string, Member>>();
  return (location) => {
    let place = 0;
    let value = 0;
    for (const token of location) {
      const members = known.get(value) ?? membersAt(text, value);
      known.set(value, members);
      const member = members.get(String(token));
      if (member === undefined) break;
      ({ place, value } = member);
    }
    return lineAt(text, place);
  };
}

/** Where a member of an object or an item of an array stands in a text. */
interface Member {
  /** The offset of its name, of an item that of its value. */
  readonly place: number;
  readonly value: number;
}

/** The members of what begins at an offset, none where it is no object or array. */
function membersAt(text: string, start: number): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  const scanner = createScanner(text, true);
  scanner.setPosition(start);
  /** The first character of the next token tells its kind; empty at the end of the text. */
  const next = () => {
    scanner.scan();
    return text.charAt(scanner.getTokenOffset());
  };
  const open = next();
  if (open !== '{' && open !== '[') return members;
  let name: { readonly text: string; readonly place: number } | undefined;
  for (let depth = 1, mark = next(); depth > 0 && mark !== ''; mark = next()) {
    const isClosing = mark === '}' || mark === ']';
    if (isClosing) depth -= 1;
    else if (depth === 1 && mark !== ',' && mark !== ':') {
      const offset = scanner.getTokenOffset();
      if (open === '[') members.set(String(members.size), { place: offset, value: offset });
      else if (name === undefined) name = { text: scanner.getTokenValue(), place: offset };
      else {
        members.set(name.text, { place: name.place, value: offset });
        name = undefined;
      }
    }
    if (mark === '{' || mark === '[') depth += 1;
  }
  return members;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
  }
  return line;
}
