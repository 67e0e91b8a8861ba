import { decodeString } from 'micromark-util-decode-string';

// What a mark says: the same for tags, blocks and directives.

/** A value that an author wrote. A name in braces stands for a variable of a snippet. */
export type AttributeValue =
  | string
  | number
  | boolean
  | readonly (string | number)[]
  | { readonly variable: string };

export type Attributes = Readonly<Record<string, AttributeValue>>;

type Spelling = 'tag' | 'block' | 'directive';

export interface OpenMark {
  readonly kind: 'open';
  readonly spelling: Spelling;
  /** As its author wrote it; empty for a fragment of JSX. */
  readonly name: string;
  /** By their names in small letters. */
  readonly attributes: Attributes;
  /** Attributes that are program code: `onClick={…}`. */
  readonly unread: readonly string[];
  /** Whether nothing can be in it. */
  readonly isLeaf: boolean;
  /** Of a directive: its colons. */
  readonly colons: number;
}

export type Mark =
  | OpenMark
  | {
      readonly kind: 'close';
      readonly spelling: Spelling;
      readonly name: string;
      readonly colons: number;
    }
  | { readonly kind: 'comment' }
  | { readonly kind: 'expression'; readonly code: string }
  | { readonly kind: 'program'; readonly code: string };

/** Reads what a node of `remarkMarks` holds. */
export function readMark(source: string): Mark {
  const text = source.trim();
  if (text.startsWith('<')) return readTag(text);
  if (text.startsWith('{%')) return readBlock(text);
  if (text.startsWith('::')) return readDirective(text);
  if (!text.startsWith('{')) return { kind: 'program', code: text };
  const code = text.slice(1, -1).trim();
  return /^\/\*[\s\S]*\*\/$/.test(code) ? { kind: 'comment' } : { kind: 'expression', code };
}

function readTag(text: string): Mark {
  const [whole, slash, name = ''] = /^<(\/?)\s*([\p{L}\p{N}_$.-]*)/u.exec(text) ?? [''];
  if (slash) return { kind: 'close', spelling: 'tag', name, colons: 0 };
  const isLeaf = text.endsWith('/>');
  const rest = text.slice(whole.length, isLeaf ? -2 : -1);
  return { kind: 'open', spelling: 'tag', name, isLeaf, colons: 0, ...readAttributes(rest) };
}

function readBlock(text: string): Mark {
  const [, name = '', rest = ''] = /^\{%-?\s*([^\s=%]*)([\s\S]*?)-?%\}$/.exec(text) ?? [];
  if (name.startsWith('end'))
    return { kind: 'close', spelling: 'block', name: name.slice(3), colons: 0 };
  const words = readAttributes(rest);
  const [, path] = /^\s*["'](.*?)["']\s*$/.exec(rest) ?? [];
  const attributes = path === undefined ? words.attributes : { file: path };
  return {
    ...{ kind: 'open', spelling: 'block', name, isLeaf: false, colons: 0 },
    ...{ attributes, unread: path === undefined ? words.unread : [] },
  };
}

function readDirective(text: string): Mark {
  const [, marks = '', name = '', rest = ''] =
    /^(:+)[ \t]*([\p{L}\p{N}_-]*)([\s\S]*)$/u.exec(text) ?? [];
  const colons = marks.length;
  if (name === '') return { kind: 'close', spelling: 'directive', name, colons };
  const [whole = '', label] = /^\[((?:\\.|[^\\\]])*)\]/.exec(rest) ?? [];
  const after = rest.slice(whole.length);
  const [inBraces = '', braces = ''] = /^\s*\{([\s\S]*)\}\s*$/.exec(after) ?? [];
  const { attributes, unread } = readAttributes(braces);
  const title = (label ?? (inBraces === '' ? after : '')).trim();
  return {
    ...{ kind: 'open', spelling: 'directive', name, unread, colons, isLeaf: colons === 2 },
    attributes: title === '' ? attributes : { ...attributes, title },
  };
}

const ATTRIBUTE = /[#.]?([\p{L}\p{N}_:@.$-]+)|\s+|[\s\S]/uy;

/** Reads `name="value" name={value} name`, and of directives `#id`. */
function readAttributes(text: string): Pick<OpenMark, 'attributes' | 'unread'> {
  const attributes: Record<string, AttributeValue> = Object.create(null);
  const unread: string[] = [];
  let at = 0;
  while (at < text.length) {
    ATTRIBUTE.lastIndex = at;
    const [word = '', name] = ATTRIBUTE.exec(text) ?? [];
    at += Math.max(1, word.length);
    if (word === '{') {
      const end = braceEnd(text, at - 1);
      unread.push(text.slice(at - 1, end));
      at = end;
    }
    if (name === undefined) continue;
    if (word.startsWith('#')) attributes.id = name;
    if (/^[#.]/.test(word)) continue;
    const [equals = ''] = /^\s*=\s*/.exec(text.slice(at, at + 100)) ?? [];
    if (equals === '') {
      attributes[name.toLowerCase()] = true;
      continue;
    }
    at += equals.length;
    const end = valueEnd(text, at);
    const value = readValue(text.slice(at, end));
    at = end;
    if (value === undefined) unread.push(name);
    else attributes[name.toLowerCase()] = value;
  }
  return { attributes, unread };
}

function valueEnd(text: string, at: number): number {
  const first = text[at];
  if (first === '{') return braceEnd(text, at);
  if (first === '"' || first === "'") {
    const end = text.indexOf(first, at + 1);
    return end === -1 ? text.length : end + 1;
  }
  const end = text.slice(at).search(/\s/);
  return end === -1 ? text.length : at + end;
}

function braceEnd(text: string, at: number): number {
  let depth = 0;
  let quote = '';
  for (let end = at; end < text.length; end += 1) {
    const char = text[end] as string;
    if (quote !== '') {
      if (char === quote && text[end - 1] !== '\\') quote = '';
    } else if (char === '"' || char === "'" || char === '`') quote = char;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return end + 1;
    }
  }
  return text.length;
}

function readValue(text: string): AttributeValue | undefined {
  if (text.startsWith('{')) return readLiteral(text.slice(1, -1));
  const plain = /^["']/.test(text) ? text.slice(1, -1) : text;
  return plain.replace(/&#?\w+;/g, (reference) => decodeString(reference));
}

/**
 * A string, number, boolean, or an array of strings and numbers, as in program code; a name alone is a variable.
 * undefined for all else: it would have to be run.
 */
export function readLiteral(source: string): AttributeValue | undefined {
  const code = source.trim();
  if (code === 'true' || code === 'false') return code === 'true';
  if (code === 'null' || code === 'undefined') return '';
  if (/^[A-Za-z_$][\w$]*$/.test(code)) return { variable: code };
  if (code.startsWith('[') && code.endsWith(']')) return readArray(code);
  return readScalar(code);
}

function readScalar(code: string): string | number | undefined {
  if (/^-?(?:\d+\.?\d*|\.\d+)$/.test(code)) return Number(code);
  const quote = code[0];
  if (code.length < 2 || !quote || !'"\'`'.includes(quote) || !code.endsWith(quote))
    return undefined;
  const inner = code.slice(1, -1);
  const isWhole = new RegExp(`^(?:\\\\[\\s\\S]|[^\\\\${quote}])*$`).test(inner);
  if (!isWhole || (quote === '`' && inner.includes('${'))) return undefined;
  return inner.replace(/\\([\s\S])/g, (_, char: string) => ESCAPES[char] ?? char);
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '' };

function readArray(code: string): readonly (string | number)[] | undefined {
  const items: (string | number)[] = [];
  const parts = code.slice(1, -1).match(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^,\s][^,]*/g) ?? [];
  for (const part of parts) {
    const value = readScalar(part.trim());
    if (value === undefined) return undefined;
    items.push(value);
  }
  return items;
}
