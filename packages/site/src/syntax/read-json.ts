import {
  findNodeAtLocation,
  type JSONPath,
  type JSONVisitor,
  type Node,
  parseTree,
  printParseErrorCode,
  visit,
} from 'jsonc-parser';
import { jsonProblem, type OpenBracket } from './json-problem.ts';
import { MAX_DEPTH, nestingProblem, type Source, type SyntaxProblem, toPointer } from './source.ts';

/** Number literals that may not fit a JS number: many digits, or a large exponent. */
const MAYBE_LARGE = /\d{16}|[eE]\+?\d{2}/;

const OPTIONS = { disallowComments: true, allowTrailingComma: false };

/** Reads JSON (RFC 8259). Integers beyond 2^53 become bigints. */
export function readJson(text: string): Source | { problem: SyntaxProblem } {
  const problem = findProblem(text);
  if (problem) return { problem };
  const value = parseJson(text);
  let tree: Node | undefined;
  return {
    syntax: 'JSON',
    value,
    lineOf: (location) => {
      tree ??= parseTree(text, [], OPTIONS);
      return lineOf(text, tree, [...location]);
    },
  };
}

/** JSON.parse, but integers beyond 2^53 become bigints. */
export function parseJson(text: string): unknown {
  return MAYBE_LARGE.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
}

function exact(_name: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === 'number' && source !== undefined && /^-?\d{16,}$/.test(source)
    ? exactInteger(BigInt(source))
    : value;
}

/** As a number where that keeps every digit. */
export function exactInteger(value: bigint): number | bigint {
  return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER
    ? Number(value)
    : value;
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

function lineOf(text: string, tree: Node | undefined, location: JSONPath): number | null {
  if (!tree) return null;
  for (let length = location.length; length >= 0; length -= 1) {
    const node = findAt(tree, location.slice(0, length));
    if (node) return lineAt(text, node.offset);
  }
  return 1;
}

/** Items of arrays are found by number. */
function findAt(tree: Node, location: JSONPath): Node | undefined {
  let node: Node | undefined = tree;
  for (const token of location) {
    node =
      node && findNodeAtLocation(node, [node.type === 'array' ? Number(token) : String(token)]);
    if (!node) return undefined;
  }
  // The line of a member is the one of its name.
  return node.parent?.type === 'property' ? node.parent : node;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
  }
  return line;
}
