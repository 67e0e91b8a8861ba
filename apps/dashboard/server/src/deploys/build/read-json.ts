import {
  findNodeAtLocation,
  type JSONPath,
  type JSONVisitor,
  type Node,
  parseTree,
  printParseErrorCode,
  visit,
} from 'jsonc-parser';
import { toPointer } from './json-pointer.ts';
import { MAX_DEPTH, type Source, type SyntaxProblem, tooDeep } from './source.ts';

/** Numbers that a JS number may not keep: many digits, or a large exponent. */
const MAYBE_LARGE = /\d{16}|[eE]\+?\d{2}/;

const OPTIONS = { disallowComments: true, allowTrailingComma: false };

/** Reads JSON (RFC 8259). Integers beyond 2^53 become bigints. */
export function readJson(text: string): Source | { problem: SyntaxProblem } {
  const problem = findProblem(text);
  if (problem) return { problem };
  const value: unknown = MAYBE_LARGE.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
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

function exact(_name: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === 'number' && source !== undefined && /^-?\d{16,}$/.test(source)
    ? exactInteger(BigInt(source))
    : value;
}

/** A number where that keeps every digit. */
export function exactInteger(value: bigint): number | bigint {
  return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER
    ? Number(value)
    : value;
}

/** Finds what JSON.parse would not tell, or not tell where. */
function findProblem(text: string): SyntaxProblem | undefined {
  const names: Set<string>[] = [];
  let depth = 0;
  let problem: SyntaxProblem | undefined;
  const found = (make: () => SyntaxProblem) => {
    problem ??= make();
  };
  const enter = (line: number) => {
    depth += 1;
    if (depth > MAX_DEPTH) found(() => tooDeep(line + 1));
    return problem === undefined;
  };
  const visitor: JSONVisitor = {
    onObjectBegin: (_offset, _length, line) => {
      names.push(new Set());
      return enter(line);
    },
    onObjectEnd: () => {
      names.pop();
      depth -= 1;
    },
    onArrayBegin: (_offset, _length, line) => enter(line),
    onArrayEnd: () => {
      depth -= 1;
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
    onError: (error, _offset, _length, line) =>
      found(() => ({
        message: ERRORS[printParseErrorCode(error)] ?? SYNTAX_ERROR,
        path: '',
        line: line + 1,
      })),
  };
  try {
    visit(text, visitor, OPTIONS);
  } catch (error) {
    // It goes down as deep as the text does; by then the problem has been found.
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

const SYNTAX_ERROR = 'This is not JSON.';

const ERRORS: Record<string, string> = {
  InvalidSymbol:
    'JSON has no such word here: text stands in double quotes, and the only words are true, false and null.',
  InvalidNumberFormat: 'This is no number that JSON has.',
  PropertyNameExpected:
    'The name of a member must come here, in double quotes. After the last member there is no comma.',
  ValueExpected: 'A value must come here. After the last one there is no comma.',
  ColonExpected: "A colon must come after a member's name.",
  CommaExpected: 'A comma must come between two members or items.',
  CloseBraceExpected: 'A closing brace } is missing.',
  CloseBracketExpected: 'A closing bracket ] is missing.',
  EndOfFileExpected: 'The document ends before this: nothing may follow it.',
  InvalidCommentToken: 'JSON has no comments. Leave this one out.',
  UnexpectedEndOfComment: 'JSON has no comments. Leave this one out.',
  UnexpectedEndOfString: 'The closing double quote of this text is missing.',
  UnexpectedEndOfNumber: 'This is no number that JSON has.',
  InvalidUnicode: 'After \\u there must be four hexadecimal digits.',
  InvalidEscapeCharacter: 'JSON has no such escape: a backslash itself is written \\\\.',
  InvalidCharacter:
    'A control character, such as a line break, must be written with a backslash, such as \\n.',
};

function lineOf(text: string, tree: Node | undefined, location: JSONPath): number | null {
  if (!tree) return null;
  for (let length = location.length; length >= 0; length -= 1) {
    const node = findAt(tree, location.slice(0, length));
    if (node) return lineAt(text, node.offset);
  }
  return 1;
}

/** Items of arrays must be asked for by number. */
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
