/**
 * The text of `Petstore-Fault`, as a Dictionary of RFC 9651, section 3.2, with one addition: a time may be written with
 * its unit.
 *
 *     latency=800ms; rate=0.2; seed=7, status=503; rate=0.1
 *
 * A member and its parameters are one group, whichever of them comes first: what is in a group happens together, by one
 * draw. A comma begins another group.
 */

/** A value as it was written. */
export type FieldValue =
  | { readonly type: 'flag'; readonly value: boolean }
  | { readonly type: 'integer' | 'decimal'; readonly value: number }
  | { readonly type: 'time'; readonly ms: number }
  | { readonly type: 'word'; readonly text: string };

export interface FieldItem {
  readonly name: string;
  readonly value: FieldValue;
  /** The item as it was written, such as `rate=2`. */
  readonly text: string;
}

export type FieldGroup = readonly FieldItem[];

/** What is wrong with a field, as a public sentence. */
export class FaultFieldError extends Error {
  override name = 'FaultFieldError';
}

/** Characters of a field, at most, and groups in it. */
export const MAX_FIELD_LENGTH = 1_000;
const MAX_GROUPS = 5;

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const NAME = /[a-z*][a-z0-9_.*-]*/y;
/** Digits as RFC 9651 bounds them: 15 of an Integer; 12 before the point of a Decimal and 3 behind it. */
const NUMBER = /[+-]?(\d{1,12}\.\d{1,3}|\d{1,15})(?![\d.])/y;
const UNIT = /(ms|[smhd])(?![A-Za-z0-9])/y;
const TOKEN = /[A-Za-z*][\w!#$%&'*+.^`|~:/-]*/y;
const STRING = /"((?:[ !#-[\]-~]|\\["\\])*)"/y;
const SPACE = /[ \t]*/y;
const REST = /[^,;]*/y;

/** Reads a field. Throws FaultFieldError that quotes the part that is wrong and says what would be right. */
export function readField(text: string): readonly FieldGroup[] {
  if (text.length > MAX_FIELD_LENGTH) {
    throw new FaultFieldError(`it must be at most ${MAX_FIELD_LENGTH} characters long`);
  }
  const reader = new Reader(text);
  const groups: FieldItem[][] = [];
  const members = new Set<string>();
  do {
    const group = readGroup(reader);
    const first = group[0]?.name ?? '';
    if (members.has(first)) {
      throw new FaultFieldError(
        `${first} begins two groups; put them into one, separated by semicolons, or keep rules at /v1/faults`,
      );
    }
    members.add(first);
    if (groups.push(group) > MAX_GROUPS) {
      throw new FaultFieldError(`it may have at most ${MAX_GROUPS} groups separated by commas`);
    }
  } while (reader.skips(','));
  return groups;
}

function readGroup(reader: Reader): FieldItem[] {
  const items = new Map<string, FieldItem>();
  do {
    const item = readItem(reader);
    if (items.has(item.name)) {
      throw new FaultFieldError(`${item.name} is there twice; name it once in a group`);
    }
    items.set(item.name, item);
  } while (reader.skips(';'));
  if (!reader.isBeforeGroup()) throw reader.unexpected();
  return [...items.values()];
}

function readItem(reader: Reader): FieldItem {
  const start = reader.at;
  const [name] = reader.take(NAME) ?? [];
  if (name === undefined) throw reader.unexpected();
  const value: FieldValue = reader.takes('=') ? readValue(reader) : { type: 'flag', value: true };
  return { name, value, text: reader.since(start) };
}

function readValue(reader: Reader): FieldValue {
  const flag = reader.take(/\?([01])/y);
  if (flag) return { type: 'flag', value: flag[1] === '1' };
  const number = reader.take(NUMBER);
  if (number) {
    const value = Number(number[0]);
    const unit = reader.take(UNIT)?.[1];
    if (unit !== undefined) return { type: 'time', ms: value * (UNITS[unit] as number) };
    return { type: number[0].includes('.') ? 'decimal' : 'integer', value };
  }
  const string = reader.take(STRING);
  if (string) return { type: 'word', text: (string[1] as string).replace(/\\(.)/g, '$1') };
  const token = reader.take(TOKEN);
  if (token) return { type: 'word', text: token[0] };
  throw reader.unexpected();
}

class Reader {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
    this.take(SPACE);
  }

  /** What the text has here, if it matches, and goes behind it. */
  take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    const match = expression.exec(this.#text) ?? undefined;
    if (match) this.at += match[0].length;
    return match;
  }

  takes(character: string): boolean {
    if (this.#text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  /** The same, with white space on both sides. */
  skips(separator: string): boolean {
    this.take(SPACE);
    const isThere = this.takes(separator);
    if (isThere) this.take(SPACE);
    return isThere;
  }

  /** Whether a group can end here. */
  isBeforeGroup(): boolean {
    return this.at === this.#text.length || this.#text[this.at] === ',';
  }

  since(start: number): string {
    return this.#text.slice(start, this.at);
  }

  unexpected(): FaultFieldError {
    const { at } = this;
    const [rest = ''] = this.take(REST) ?? [];
    const found =
      rest.trim() === '' ? (this.#text[this.at] ?? 'the end') : rest.trim().slice(0, 40);
    return new FaultFieldError(
      `${JSON.stringify(found)} at character ${at + 1} is not a part such as status=503, latency=800ms or cut; ` +
        'parts are separated by ; and groups by ,',
    );
  }
}
