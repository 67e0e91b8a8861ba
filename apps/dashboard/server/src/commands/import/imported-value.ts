import { UserError } from '@petstore/service/user-error.ts';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';

/** Where something stands: a file of the folder, and its line, 1 for the first; undefined for the file as a whole. */
export interface Place {
  readonly file: string;
  readonly line: number | undefined;
}

type Content =
  | string
  | number
  | boolean
  | undefined
  | readonly ImportedValue[]
  | ReadonlyMap<string, ImportedValue>;

/**
 * A value of another product's configuration, with its place. Members that are not there, and values of another kind
 * than is asked for, are undefined or empty: another product's file is not this program's to check.
 */
export class ImportedValue {
  readonly content: Content;
  readonly place: Place;

  constructor(content: Content, place: Place) {
    this.content = content;
    this.place = place;
  }

  /** A text that is not blank; numbers are read as texts. */
  get text(): string | undefined {
    const text = typeof this.content === 'number' ? String(this.content) : this.content;
    return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
  }

  get isTrue(): boolean {
    return this.content === true;
  }

  get number(): number | undefined {
    return typeof this.content === 'number' ? this.content : undefined;
  }

  /** The members of a list; of anything else none. */
  get items(): readonly ImportedValue[] {
    return Array.isArray(this.content) ? this.content : [];
  }

  /** The members of a mapping; of anything else none. */
  get members(): ReadonlyMap<string, ImportedValue> {
    return this.content instanceof Map ? this.content : new Map();
  }

  get(key: string): ImportedValue | undefined {
    return this.members.get(key);
  }
}

/** Reads JSON or YAML. Throws UserError, with the line, for what is neither. */
export function parseValue(text: string, file: string, firstLine = 1): ImportedValue {
  const lines = new LineCounter();
  const lineAt = (offset: number) => lines.linePos(offset).line + firstLine - 1;
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error)
    throw new UserError(`${file}:${lineAt(error.pos[0])}: This cannot be read: ${error.message}.`);

  const read = (node: unknown, depth: number): ImportedValue => {
    const [offset = 0] = (node as Node | undefined)?.range ?? [];
    const place = { file, line: lineAt(offset) };
    if (depth > MAX_DEPTH)
      throw new UserError(`${file}:${place.line}: This is nested too deeply to be read.`);
    // What an alias stands for is not repeated: it could multiply.
    if (isAlias(node)) return new ImportedValue(undefined, place);
    if (isSeq(node)) {
      const items = node.items.map((item) => read(item, depth + 1));
      return new ImportedValue(items, place);
    }
    if (isMap(node)) {
      const members = node.items.map(({ key, value }): [string, ImportedValue] => [
        isScalar(key) ? String(key.value) : '',
        read(value, depth + 1),
      ]);
      return new ImportedValue(new Map(members), place);
    }
    const value = isScalar(node) ? node.value : undefined;
    const isKnown = ['string', 'number', 'boolean'].includes(typeof value);
    return new ImportedValue(isKnown ? (value as string | number | boolean) : undefined, place);
  };
  return read(document.contents, 0);
}

const MAX_DEPTH = 100;

/** The front matter of a page; an empty value where it has none, or none that can be read. */
export function frontMatter(text: string, file: string): ImportedValue {
  const empty = new ImportedValue(undefined, { file, line: 1 });
  const [, matter] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  if (matter === undefined) return empty;
  try {
    return parseValue(matter, file, 2);
  } catch (error) {
    if (error instanceof UserError) return empty;
    throw error;
  }
}
