// JSON as text. Numbers are never read as such, so every digit of them is kept.

/** A JSON value whose strings, numbers and literals are the text that they have in JSON. */
export type JsonNode =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, JsonNode> };

/** More levels than anyone enters by hand, and few enough for the stack. */
const MAX_DEPTH = 200;

/** The value of a JSON text; undefined where it is not JSON, or has more than 200 levels. */
export function parseJson(text: string): JsonNode | undefined {
  if (!isValid(text)) return undefined;
  const tokens = jsonTokens(text);
  const next = () => tokens.next().value ?? '';
  // The text is valid, so each token is the one that has to come.
  const read = (token: string, depth: number): JsonNode | undefined => {
    if (depth > MAX_DEPTH) return undefined;
    if (token === '[') {
      const items: JsonNode[] = [];
      for (let at = next(); at !== ']'; at = next()) {
        const item = read(at === ',' ? next() : at, depth + 1);
        if (item === undefined) return undefined;
        items.push(item);
      }
      return { kind: 'array', items };
    }
    if (token === '{') {
      const members = new Map<string, JsonNode>();
      for (let at = next(); at !== '}'; at = next()) {
        const name = JSON.parse(at === ',' ? next() : at) as string;
        next();
        const member = read(next(), depth + 1);
        if (member === undefined) return undefined;
        members.set(name, member);
      }
      return { kind: 'object', members };
    }
    return { kind: 'literal', text: token };
  };
  return read(next(), 0);
}

/** Whether a text is JSON. */
export function isValid(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A JSON text with line breaks and two spaces for each level; undefined where it is not JSON. */
export function formatJson(text: string): string | undefined {
  if (!isValid(text)) return undefined;
  let made = '';
  for (const piece of layOut(text)) made += piece.text;
  return made;
}

/** A piece of a laid out text: a name, a string, a number or literal, or what stands between them. */
export interface JsonPiece {
  readonly text: string;
  readonly kind: 'name' | 'string' | 'number' | 'literal' | undefined;
}

/** The pieces of a valid JSON text, with line breaks and two spaces for each level. */
export function* layOut(text: string): Generator<JsonPiece> {
  let depth = 0;
  let before = '';
  // A string is a name where a colon follows, so each token waits for the next one.
  let waiting: JsonPiece | undefined;
  for (const token of jsonTokens(text)) {
    const isEnd = token === '}' || token === ']';
    if (isEnd) depth -= 1;
    const isFirst = before === '{' || before === '[';
    const breaks = before === ',' || (isFirst !== isEnd && (isFirst || isEnd));
    if (waiting) yield token === ':' ? { ...waiting, kind: 'name' } : waiting;
    // Deeper levels are not indented further, or the spaces would outweigh the text.
    if (breaks) yield { text: `\n${'  '.repeat(Math.min(depth, MAX_INDENT))}`, kind: undefined };
    waiting = { text: token === ':' ? ': ' : token, kind: kindOf(token) };
    if (token === '{' || token === '[') depth += 1;
    before = token;
  }
  if (waiting) yield waiting;
}

const MAX_INDENT = 40;

function kindOf(token: string): JsonPiece['kind'] {
  if (token.startsWith('"')) return 'string';
  if (/^[-\d]/.test(token)) return 'number';
  return /^[a-z]/.test(token) ? 'literal' : undefined;
}

/** A value as JSON text, on one line. */
export function writeJson(node: JsonNode): string {
  if (node.kind === 'literal') return node.text;
  if (node.kind === 'array') return `[${node.items.map(writeJson).join(',')}]`;
  const members = [...node.members].map(
    ([name, value]) => `${JSON.stringify(name)}:${writeJson(value)}`,
  );
  return `{${members.join(',')}}`;
}

/** A value as text for a parameter or a field: a string without its quotation marks, anything else as JSON. */
export function plainText(node: JsonNode): string {
  return node.kind === 'literal' && node.text.startsWith('"')
    ? (JSON.parse(node.text) as string)
    : writeJson(node);
}

/** The tokens of a valid JSON text, without the space between them. */
function* jsonTokens(text: string): Generator<string, undefined> {
  const word = /[^\s,:{}[\]"]+/y;
  for (let at = 0; at < text.length; ) {
    const char = text[at] as string;
    let end = at + 1;
    if (char === '"') end = stringEnd(text, at);
    else if (/[^\s,:{}[\]]/.test(char)) {
      word.lastIndex = at;
      end = at + (word.exec(text)?.[0].length ?? 1);
    }
    if (!/\s/.test(char)) yield text.slice(at, end);
    at = end;
  }
}

/** Where a string ends that begins at `start`, after its quotation mark. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
  return at + 1;
}
