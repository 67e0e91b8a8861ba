import { setImmediate as nextTurn } from 'node:timers/promises';
import { isMethod } from '@petstore/site/openapi/methods.ts';
import { toPointer } from '@petstore/site/syntax/source.ts';

/**
 * Where the parts of an OpenAPI document stand in its bytes. A document of 12 MB takes a tenth of a second and a
 * hundred megabytes to parse; with these spans only the few parts that an operation needs are parsed.
 */
export interface DocumentParts {
  /** By the names on the way to it, joined by `SEPARATOR`: `paths` and `/pets`; `components`, `schemas` and `Pet`. */
  readonly spans: ReadonlyMap<string, ByteSpan>;
  /** The operations by their `operationId`. */
  readonly operations: ReadonlyMap<string, OperationKey>;
}

/** From a byte to one behind the last. */
type ByteSpan = readonly [start: number, end: number];

export interface OperationKey extends PathItemKey {
  readonly method: string;
}

interface PathItemKey {
  /** `paths`, or `webhooks`. */
  readonly collection: string;
  /** The path, or the webhook's name. */
  readonly name: string;
}

/** Between the names of a part. No name in JSON has it unescaped. */
export const SEPARATOR = '\0';

/** Of more parts no document is read: each takes some 300 bytes of memory. */
const MAX_PARTS = 100_000;

/** How many bytes are read in one turn of the event loop: a few milliseconds. */
const BYTES_PER_TURN = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const SPACE = 0x20;

/** Finds the parts of a document in JSON. Rejects where it is not what a build wrote, or has too many parts. */
export async function findParts(bytes: Buffer): Promise<DocumentParts> {
  const spans = new Map<string, ByteSpan>();
  const ids: { readonly item: string; readonly method: string; readonly id: string }[] = [];
  /** The path items by the pointers to them, and by the references of those that stand elsewhere. */
  const items = new Map<string, PathItemKey>();

  const tell = (names: readonly string[], span: ByteSpan) => {
    const [first = '', second = '', third = '', fourth] = names;
    if (names.length <= (first === 'components' ? 3 : 2)) {
      if (spans.size === MAX_PARTS) throw new Error('The document has too many parts.');
      spans.set(names.join(SEPARATOR), span);
    }
    const text = () => readString(bytes, ...span);
    const isItem = first === 'paths' || first === 'webhooks';
    if (isItem && names.length === 2)
      items.set(`#${toPointer(names)}`, { collection: first, name: second });
    if (isItem && names.length === 3 && third === '$ref') {
      items.set(text(), { collection: first, name: second });
    }
    const isShared = first === 'components' && second === 'pathItems';
    if (names.at(-1) !== 'operationId' || bytes[span[0]] !== QUOTE) return;
    if (isItem && names.length === 4) {
      ids.push({ item: `#${toPointer(names.slice(0, 2))}`, method: third, id: text() });
    } else if (isShared && names.length === 5 && fourth !== undefined) {
      ids.push({ item: `#${toPointer(names.slice(0, 3))}`, method: fourth, id: text() });
    }
  };

  let turnEnds = BYTES_PER_TURN;
  for (const at of walk(bytes, afterSpace(bytes, 0), [], tell)) {
    if (at > turnEnds) turnEnds = await nextTurn(at + BYTES_PER_TURN);
  }
  const operations = new Map<string, OperationKey>();
  for (const { item, method, id } of ids) {
    const key = items.get(item);
    if (key && isMethod(method) && !operations.has(id)) operations.set(id, { ...key, method });
  }
  return { spans, operations };
}

/** Whether the members of an object are told apart: down to those of an operation. */
function isWalked(names: readonly string[]): boolean {
  const [first = '', second = '', third = '', fourth = ''] = names;
  const isItems = first === 'paths' || first === 'webhooks';
  const isShared = first === 'components' && second === 'pathItems';
  switch (names.length) {
    case 1:
      return true;
    case 2:
      return isItems || first === 'components';
    case 3:
      return isItems ? isMethod(third) : isShared;
    case 4:
      return isShared && isMethod(fourth);
    default:
      return false;
  }
}

/**
 * Tells the names and the span of each member of the object that begins at `start`, and of those in it. Yields where
 * it is now and then. Returns the offset behind the object.
 */
function* walk(
  bytes: Buffer,
  start: number,
  names: readonly string[],
  tell: (names: readonly string[], span: ByteSpan) => void,
): Generator<number, number> {
  let at = afterSpace(bytes, start + 1);
  while (bytes[at] === QUOTE) {
    const nameEnds = endOfString(bytes, at);
    const here = [...names, readString(bytes, at, nameEnds)];
    const from = afterSpace(bytes, afterSpace(bytes, nameEnds) + 1);
    const isObject = bytes[from] === OPEN_OBJECT;
    const to =
      isObject && isWalked(here) ? yield* walk(bytes, from, here, tell) : endOfValue(bytes, from);
    tell(here, [from, to]);
    yield to;
    at = afterSpace(bytes, to);
    if (bytes[at] === COMMA) at = afterSpace(bytes, at + 1);
  }
  if (bytes[at] !== CLOSE_OBJECT) throw new Error(`The document is no valid JSON at byte ${at}.`);
  return at + 1;
}

function readString(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

function afterSpace(bytes: Buffer, start: number): number {
  let at = start;
  while ((bytes[at] ?? QUOTE) <= SPACE) at += 1;
  return at;
}

/** The offset behind a string that begins at `start`. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return bytes.length;
}

/** The offset behind a value that begins at `start`. */
function endOfValue(bytes: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
      if (depth === 0) return at;
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (byte === COMMA || (byte ?? 0) <= SPACE)) return at;
    at += 1;
  }
  return at;
}
