import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import { parseExactJson } from './exact-text.ts';
import { lineFinder, surveyJson } from './json-bytes.ts';
import { jsonProblem, type OpenBracket } from './json-problem.ts';
import { MAX_DEPTH, nestingProblem, type Source, type SyntaxProblem, toPointer } from './source.ts';

const OPTIONS = { disallowComments: true, allowTrailingComma: false };

/**
 * Reads JSON (RFC 8259). Integers beyond 2^53 become bigints. `bytes`: the text in UTF-8, in which lines are found later:
 * it takes half as much memory where the text has a letter that is not of Latin.
 */
export function readJson(text: string, bytes: Uint8Array): Source | { problem: SyntaxProblem } {
  const value = soundValue(text, bytes);
  if (value === undefined) {
    const problem = findProblem(text);
    if (problem) return { problem };
  }
  return { syntax: 'JSON', value: value ?? parseExactJson(text), lineOf: lineFinder(bytes) };
}

/**
 * The value of a text in which nothing is wrong; undefined where something may be. A name that occurs twice leaves fewer
 * members than the text has. To visit each mark with its place, as `findProblem` does, takes five times as long.
 */
function soundValue(text: string, bytes: Uint8Array): unknown {
  const { names, hasLongNumbers } = surveyJson(bytes);
  let value: unknown;
  try {
    value = hasLongNumbers ? parseExactJson(text) : JSON.parse(text);
  } catch {
    return undefined;
  }
  return countMembers(value) === names ? value : undefined;
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
