import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type Scalar,
} from 'yaml';
import { exactInteger } from './exact-text.ts';
import { duplicate } from './read-json.ts';
import {
  type Location,
  MAX_DEPTH,
  nestingProblem,
  type Source,
  type SyntaxProblem,
  toPointer,
} from './source.ts';
import { aliasProblem, nameOf, yamlProblem } from './yaml-problem.ts';

/** How large a document may become when its aliases are expanded. */
const MAX_VALUES = 2_000_000;

/** Reads YAML 1.2, and `<<` as YAML 1.1 had it. Integers beyond 2^53 become bigints. */
export function readYaml(text: string): Source | { problem: SyntaxProblem } {
  try {
    return read(text);
  } catch (error) {
    // The parser's recursion is as deep as the text.
    if (error instanceof RangeError) return { problem: nestingProblem(lineOfDepth(text)) };
    throw error;
  }
}

function read(text: string): Source | { problem: SyntaxProblem } {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    intAsBigInt: true,
    lineCounter: lines,
    merge: true,
    prettyErrors: false,
    // JSON has no dates, bytes or sets: they stay what is written.
    resolveKnownTags: false,
    // The parser would compare each name with each; here one pass does it.
    uniqueKeys: false,
  });
  const [document, second] = 'empty' in parsed ? [] : parsed;
  if (!document) return problemAt('The document is empty.', null);
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line);
  if (document.errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION')) {
    return { problem: nestingProblem(lineOfDepth(text)) };
  }
  const syntax = yamlProblem(document, { text, lineAt });
  if (syntax) return problemAt(syntax.message, syntax.line);
  if (second) {
    return problemAt(
      'The file has several YAML documents, and the second one begins here. Keep one of them.',
      lineAt(second.range[0]),
    );
  }
  const problem = findProblem(document.contents, lineAt);
  if (problem) return { problem };
  let value: unknown;
  try {
    value = numbers(document.toJS({ maxAliasCount: -1 }), new Set());
  } catch (error) {
    const alias =
      error instanceof RangeError ? undefined : aliasProblem(document, { text, lineAt });
    if (!alias) throw error;
    return problemAt(alias.message, alias.line);
  }
  if (!isBounded(value)) {
    return problemAt(
      'The aliases (`*name`) of this document make it too large. Use $ref instead.',
      null,
    );
  }
  return { syntax: 'YAML', value, lineOf: lineTable(document, value, lineAt) };
}

const problemAt = (message: string, line: number | null) => ({
  problem: { message, path: '', line },
});

/** Roughly whether brackets are nested too deeply: those in text count, too. */
function lineOfDepth(text: string): number | null {
  let depth = 0;
  let line = 1;
  for (const [mark] of text.matchAll(/[[{\]}]|\n/g)) {
    if (mark === '\n') line += 1;
    else depth = Math.max(0, depth + (mark === ']' || mark === '}' ? -1 : 1));
    if (depth > MAX_DEPTH) return line;
  }
  return null;
}

/**
 * Checks the whole tree: its depth, names that occur twice or are not text, and numbers that JSON does not have. What the
 * parser made of names, and of dates in YAML 1.1, becomes again what is written.
 */
function findProblem(root: unknown, lineAt: (offset: number) => number): SyntaxProblem | undefined {
  const waiting: { node: unknown; location: Location }[] = [{ node: root, location: [] }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, location } = next;
    const line = (at: unknown) => lineAt((at as Node | null)?.range?.[0] ?? 0);
    if (location.length > MAX_DEPTH) return nestingProblem(line(node));
    if (isScalar(node) && typeof node.value === 'number' && !Number.isFinite(node.value)) {
      return {
        message: `JSON has no number ${node.source}. Write it as text, in quotes.`,
        path: toPointer(location),
        line: line(node),
      };
    }
    if (isScalar(node) && typeof node.value === 'object' && node.value !== null) {
      node.value = node.source;
    }
    if (isSeq(node)) {
      for (const [at, item] of node.items.entries()) {
        waiting.push({ node: item, location: [...location, at] });
      }
    }
    if (!isMap(node)) continue;
    const names = new Set<string>();
    for (const { key, value } of node.items) {
      if (isScalar(key)) keepName(key);
      if (!isScalar(key) || key.value === null) {
        return {
          message: isCollection(key)
            ? 'The name of a member must be text. Text that begins with { or [ must be in quotes.'
            : 'The name of a member must be text.',
          path: toPointer(location),
          line: line(isNode(key) ? key : node),
        };
      }
      const name = nameOf(key);
      if (names.has(name) && name !== '<<') return duplicate([...location, name], line(key));
      names.add(name);
      waiting.push({ node: value, location: [...location, name] });
    }
  }
  return undefined;
}

/** A name is text (OpenAPI 3.1.1, “Format”): `1.10` is not 1.1, and `null` is a name. But `<<` merges. */
function keepName(key: Scalar): void {
  if (key.type === 'PLAIN' && key.source && typeof key.value !== 'symbol') key.value = key.source;
}

/** Turns small bigints into numbers. Shared values stay shared. */
function numbers(value: unknown, seen: Set<object>): unknown {
  if (typeof value === 'bigint') return exactInteger(value);
  if (typeof value !== 'object' || value === null) return value;
  if (seen.has(value)) return value;
  seen.add(value);
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    const member = members[name];
    if (typeof member === 'bigint') members[name] = exactInteger(member);
    else numbers(member, seen);
  }
  return value;
}

/** Whether a value with shared parts is a tree of bearable size when they are expanded. */
function isBounded(root: unknown): boolean {
  const sizes = new Map<object, number>();
  const size = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    // A value that contains itself is infinite.
    sizes.set(value, Infinity);
    let sum = 1;
    for (const member of Object.values(value)) sum += size(member);
    sizes.set(value, sum);
    return sum;
  };
  return size(root) <= MAX_VALUES;
}

/**
 * Finds lines after the parser's tree is gone, which takes ten times the memory of the value: each object and array has
 * the lines of its members.
 */
function lineTable(
  document: Document,
  root: unknown,
  lineAt: (offset: number) => number,
): Source['lineOf'] {
  const lines = new WeakMap<object, Uint32Array>();
  const lineOfNode = (node: unknown) => lineAt((node as Node | null)?.range?.[0] ?? 0);
  const waiting = [{ node: document.contents as unknown, value: root }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value } = next;
    const node = isAlias(next.node) ? next.node.resolve(document) : next.node;
    if (typeof value !== 'object' || value === null || lines.has(value)) continue;
    const places = new Map<string, number>();
    const enter = (name: string, place: unknown, member: unknown) => {
      places.set(name, lineOfNode(place));
      waiting.push({ node: member, value: (value as Record<string, unknown>)[name] });
    };
    if (isMap(node))
      for (const { key, value: member } of node.items) enter(nameOf(key as Scalar), key, member);
    if (isSeq(node)) for (const [at, item] of node.items.entries()) enter(String(at), item, item);
    // What `<<` takes over has the line of the object that does.
    const own = lineOfNode(node);
    lines.set(
      value,
      Uint32Array.from(Object.keys(value), (name) => places.get(name) ?? own),
    );
  }
  const first = lineOfNode(document.contents);
  return (location) => {
    let line = first;
    let value: unknown = root;
    for (const token of location) {
      if (typeof value !== 'object' || value === null) break;
      const at = Object.keys(value).indexOf(String(token));
      const found = lines.get(value)?.[at];
      if (found === undefined) break;
      line = found;
      value = (value as Record<string | number, unknown>)[token];
    }
    return line;
  };
}
