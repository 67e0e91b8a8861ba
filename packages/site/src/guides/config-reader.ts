import { didYouMeanOfMany } from '@petstore/service/nearest.ts';
import { isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { BuildProblem, SourceFiles } from '../build-log.ts';
import { yamlProblem } from '../syntax/yaml-problem.ts';

/** The largest configuration, in bytes. */
const MAX_SIZE = 256 * 1024;

/** Reads values out of a YAML file, and collects their problems. */
export interface ConfigReader {
  readonly root: Node | undefined;
  readonly problems: BuildProblem[];
  readonly line: (node: Node) => number;
  readonly problem: (message: string, node: Node | undefined) => void;
  /** The end of a problem's sentence: the name that was probably meant. */
  readonly didYouMean: (word: string, candidates: Iterable<string>) => string;
  /** The members of a mapping by key. Keys other than `keys` are problems. */
  readonly members: (node: Node, keys: readonly string[], name: string) => Map<string, Node>;
  /** The members of a mapping whose keys are its author's: text. */
  readonly entries: (node: Node, name: string) => ConfigEntry[];
  readonly items: (node: Node, name: string) => Node[];
  /** A string of 1 to `most` characters. Anything else is a problem, and becomes ''. */
  readonly text: (node: Node, name: string, most: number) => string;
}

interface ConfigEntry {
  readonly key: Node;
  readonly value: Node;
}

export function configReader(file: string, bytes: Uint8Array): ConfigReader {
  const problems: BuildProblem[] = [];
  const lines = new LineCounter();
  const didYouMean = didYouMeanOfMany();
  const addProblem = (message: string, line: number | null) =>
    problems.push({ message, path: file, line });
  const line = (node: Node) => lines.linePos(node.range?.[0] ?? 0).line;
  const problem = (message: string, node: Node | undefined) => {
    addProblem(message, node ? line(node) : null);
  };

  return {
    root: parse(bytes, lines, addProblem),
    problems,
    line,
    problem,
    didYouMean,
    members(node, keys, name) {
      const members = new Map<string, Node>();
      if (!isMap(node)) {
        problem(
          `${name} must be a mapping with ${keys.map((key) => `\`${key}\``).join(', ')}.`,
          node,
        );
        return members;
      }
      for (const { key, value } of node.items) {
        const word = isScalar(key) ? String(key.value) : '';
        if (!keys.includes(word)) {
          const place = isNode(key) ? key : node;
          problem(`${name} takes no key \`${word}\`${didYouMean(word, keys)}`, place);
        } else if (isNode(value) && !(isScalar(value) && value.value === null)) {
          members.set(word, value);
        }
      }
      return members;
    },
    entries(node, name) {
      if (!isMap(node)) {
        problem(`${name} must be a mapping.`, node);
        return [];
      }
      return node.items.flatMap(({ key, value }) =>
        isNode(key) && isNode(value) ? [{ key, value }] : [],
      );
    },
    items(node, name) {
      if (isSeq(node)) return node.items.filter(isNode);
      problem(`${name} must be a list.`, node);
      return [];
    },
    text(node, name, most) {
      const value = isScalar(node) ? node.value : undefined;
      if (typeof value === 'string' && value.trim() !== '' && value.length <= most) return value;
      problem(`${name} must be text of 1 to ${most} characters.`, node);
      return '';
    },
  };
}

/** A file of the archive. Reports a problem, and returns undefined, when it is not there or of another kind. */
export function fileOf(
  reader: ConfigReader,
  files: SourceFiles,
  node: Node,
  name: string,
  kind: RegExp,
  wanted: string,
): string | undefined {
  const text = reader.text(node, name, 255);
  const path = text.normalize('NFC').replace(/^(?:\.?\/)+/, '');
  if (text === '') return undefined;
  if (!files.has(path)) {
    reader.problem(
      `\`${path}\` is not in the archive${reader.didYouMean(path, files.keys())}`,
      node,
    );
    return undefined;
  }
  if (kind.test(path)) return path;
  reader.problem(`${name} must be ${wanted}, not \`${path}\`.`, node);
  return undefined;
}

function parse(
  bytes: Uint8Array,
  lines: LineCounter,
  addProblem: (message: string, line: number | null) => void,
): Node | undefined {
  if (bytes.length > MAX_SIZE) {
    addProblem(`The file is larger than ${MAX_SIZE / 1024} KB.`, null);
    return undefined;
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const lineAt = (offset: number) => lines.linePos(offset).line;
    const problem = yamlProblem(document, { text, lineAt });
    if (problem) addProblem(problem.message, problem.line);
    if (document.contents === null) addProblem('The file is empty.', 1);
    return document.contents ?? undefined;
  } catch (error) {
    // Lists nested deeper than the parser's stack, or bytes that are not text.
    const isDeep = error instanceof RangeError;
    addProblem(isDeep ? 'The file is nested too deeply.' : 'The file is not UTF-8 text.', null);
    return undefined;
  }
}
