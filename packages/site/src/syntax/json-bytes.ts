import type { Source } from './source.ts';

// What is to be known of JSON beside its value, from its bytes in UTF-8: they are what a document of 10 MB leaves in memory
// as long as lines of it may be asked for. No byte of a character of several bytes is a mark of JSON.

/** What a text of JSON has outside of strings. */
interface Survey {
  /** How many names of members: the colons. */
  readonly names: number;
  /** Whether it has numbers of sixteen digits or more in a row, which may be larger than 2^53. */
  readonly hasLongNumbers: boolean;
}

export function surveyJson(bytes: Uint8Array): Survey {
  let [names, digits, hasLongNumbers] = [0, 0, false];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte >= ZERO && byte <= NINE) {
      digits += 1;
      if (digits === 16) hasLongNumbers = true;
      continue;
    }
    digits = 0;
    if (byte === QUOTE) at = endOfString(bytes, at) - 1;
    else if (byte === COLON) names += 1;
  }
  return { names, hasLongNumbers };
}

/**
 * Finds lines in JSON without problems. Each object and array on the way to a place is gone through once, and no further
 * than to the place: a tree of the whole would take half a gigabyte for a document of 10 MB.
 */
export function lineFinder(bytes: Uint8Array): Source['lineOf'] {
  const known = new Map<number, Members>();
  return (location) => {
    let line = 1;
    let value: Place = { at: 0, line };
    for (const token of location) {
      const members = known.get(value.at) ?? new Members(bytes, value);
      known.set(value.at, members);
      const member = members.find(String(token));
      if (member === undefined) break;
      ({ line, value } = member);
    }
    return line;
  };
}

/** An offset, and its line, 1 for the first. */
interface Place {
  at: number;
  line: number;
}

/** A member of an object or an item of an array. */
interface Member {
  /** That of its name, of an item that of its value. */
  readonly line: number;
  readonly value: Place;
}

/** The members of what begins at a place, none where it is no object or array. */
class Members {
  readonly #bytes: Uint8Array;
  readonly #found = new Map<string, Member>();
  readonly #isArray: boolean;
  /** Of the next member. */
  readonly #next: Place;
  #isAtEnd = false;

  constructor(bytes: Uint8Array, { at, line }: Place) {
    this.#bytes = bytes;
    this.#next = { at, line };
    skipSpace(bytes, this.#next);
    const open = bytes[this.#next.at];
    this.#isArray = open === OPEN_ARRAY;
    if (open === OPEN_ARRAY || open === OPEN_OBJECT) this.#stepOver();
    else this.#isAtEnd = true;
  }

  /** Goes on through the text until the member is found. */
  find(name: string): Member | undefined {
    for (;;) {
      const member = this.#found.get(name);
      if (member || this.#isAtEnd) return member;
      this.#goOn();
    }
  }

  #goOn(): void {
    const [bytes, next] = [this.#bytes, this.#next];
    const { at, line } = next;
    if (at >= bytes.length || CLOSING.has(bytes[at])) {
      this.#isAtEnd = true;
      return;
    }
    let name = String(this.#found.size);
    if (!this.#isArray) {
      next.at = endOfString(bytes, at);
      name = stringAt(bytes, at, next.at);
      skipSpace(bytes, next);
      this.#stepOver();
    }
    this.#found.set(name, { line, value: { at: next.at, line: next.line } });
    skipValue(bytes, next);
    skipSpace(bytes, next);
    if (bytes[next.at] === COMMA) this.#stepOver();
  }

  /** Goes behind a mark, and to the next one. */
  #stepOver(): void {
    this.#next.at += 1;
    skipSpace(this.#bytes, this.#next);
  }
}

const [LINE_FEED, SPACE, QUOTE, COMMA, ZERO, NINE, COLON] = [
  0x0a, 0x20, 0x22, 0x2c, 0x30, 0x39, 0x3a,
];
const [OPEN_ARRAY, BACKSLASH, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x5b, 0x5c, 0x5d, 0x7b, 0x7d,
];
const CLOSING: ReadonlySet<number | undefined> = new Set([CLOSE_ARRAY, CLOSE_OBJECT]);

/** Goes to the first mark. A byte order mark may stand at the beginning; no other byte of it is a mark. */
function skipSpace(bytes: Uint8Array, place: Place): void {
  for (; place.at < bytes.length; place.at += 1) {
    const byte = bytes[place.at] as number;
    if (byte === LINE_FEED) place.line += 1;
    else if (byte > SPACE && byte < 0x80) return;
  }
}

/** Goes behind the value that begins at a place. Most of a large document is gone through here, more than once. */
function skipValue(bytes: Uint8Array, place: Place): void {
  let { at, line } = place;
  let depth = 0;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === SPACE) continue;
    if (byte === LINE_FEED) line += 1;
    else if (byte === QUOTE) {
      at = endOfString(bytes, at) - 1;
      if (depth === 0) break;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || (byte === COMMA && depth === 0)) {
      depth -= 1;
      // What follows a number, true, false or null is no part of it.
      if (depth < 0) at -= 1;
      if (depth <= 0) break;
    }
  }
  place.at = at + 1;
  place.line = line;
}

/** The offset behind the string that begins at an offset. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return bytes.length;
}

const DECODER = new TextDecoder();

/** The string between two offsets, with its quotation marks. */
const stringAt = (bytes: Uint8Array, start: number, end: number): string =>
  JSON.parse(DECODER.decode(bytes.subarray(start, end))) as string;
