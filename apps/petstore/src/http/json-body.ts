import { isUtf8 } from 'node:buffer';
import { ApiError } from '@petstore/http/errors.ts';
import { int64FromJsonNumber } from '../int64.ts';
import { MAX_JSON_DEPTH } from './limits.ts';

/**
 * Reads a request body as strict JSON: RFC 8259 in UTF-8 without a byte order mark, with the rules
 * of I-JSON (RFC 7493) that keep two readers from seeing two different bodies: no member twice.
 *
 * Integers within int64 that are members of the outermost object come back as bigint, exact to the
 * last digit; with `isNested` also those in an object or a list that is such a member. Every other number is a JS
 * number. Throws ApiError `invalid_json` that says what is wrong and, for syntax, where.
 */
export function parseJsonBody(bytes: Buffer, isNested = false): unknown {
  if (bytes.length === 0) throw invalid('The body is empty; it must be a JSON object.');
  if (!isUtf8(bytes)) throw invalid('The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  if (text.charCodeAt(0) === 0xfeff) {
    throw invalid('The body starts with a byte order mark; send UTF-8 without one.');
  }
  const { refusal, numbers, nested } = scan(text, isNested);
  const value = parse(text);
  if (refusal !== undefined) throw invalid(refusal);
  if (typeof value === 'object' && value !== null) {
    for (const [name, literal] of numbers) {
      const integer = int64FromJsonNumber(literal);
      if (integer !== undefined) (value as Record<string, unknown>)[name] = integer;
    }
    for (const { member, name, literal } of nested) {
      const integer = int64FromJsonNumber(literal);
      const within = (value as Record<string, Record<string, unknown>>)[member];
      if (integer !== undefined && within) within[name] = integer;
    }
  }
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`The body is not JSON: ${(error as SyntaxError).message}.`);
  }
}

/** What a scan finds that JSON.parse would not report. It has no meaning where the text is not JSON. */
interface Findings {
  /** Why the body is refused although its syntax is valid. */
  readonly refusal: string | undefined;
  /** The numbers among the outermost object's members, as they are written. */
  readonly numbers: ReadonlyMap<string, string>;
  /** The same of the objects and lists that are its members; `name`: a member's, or a place in a list. */
  readonly nested: readonly { member: string; name: string | number; literal: string }[];
}

/** An open object, with its names so far; or an open array. */
type Container = { readonly names: Set<string>; readonly isConstructor: boolean } | 'array';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Scans the text once, before its syntax has been checked. JSON.parse silently keeps the last of two members with one
 * name, and rounds integers. Its reviver could see the digits, but takes five times as long as this on a malicious
 * body. Throws ApiError beyond MAX_JSON_DEPTH.
 */
function scan(text: string, isNested: boolean): Findings {
  const open: Container[] = [];
  const numbers = new Map<string, string>();
  const nested: { member: string; name: string | number; literal: string }[] = [];
  /** The member of the outermost object that is being scanned, and the place in it, where it is a list. */
  let member = '';
  let place = 0;
  let refusal: string | undefined;
  let isConstructor = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x7b /* { */ || char === 0x5b /* [ */) {
      open.push(char === 0x7b ? { names: new Set(), isConstructor } : 'array');
      if (open.length > MAX_JSON_DEPTH) {
        throw invalid(`The body must not be nested deeper than ${MAX_JSON_DEPTH} levels.`);
      }
      isConstructor = false;
      if (open.length === 2) place = 0;
    } else if (char === 0x7d /* } */ || char === 0x5d /* ] */) {
      open.pop();
    } else if (char === QUOTE) {
      const end = endOfString(text, at);
      const container = open.at(-1);
      const colon = skipSpace(text, end);
      if (container !== undefined && container !== 'array' && text.charCodeAt(colon) === COLON) {
        const name = memberName(text.slice(at, end));
        refusal ??= refuseMember(name, container);
        container.names.add(name);
        isConstructor = name === 'constructor';
        if (open.length === 1) member = name;
        const isWanted = open.length === 1 || (isNested && open.length === 2);
        const literal = isWanted ? numberAt(text, skipSpace(text, colon + 1)) : undefined;
        if (literal !== undefined && open.length === 1) numbers.set(name, literal);
        else if (literal !== undefined) nested.push({ member, name, literal });
      }
      at = end - 1;
    } else if (isNested && open.length === 2 && open[1] === 'array') {
      if (char === COMMA) place++;
      else if (char === MINUS || (char >= ZERO && char <= NINE)) {
        const literal = numberAt(text, at) ?? '';
        if (literal !== '') nested.push({ member, name: place, literal });
        at += Math.max(0, literal.length - 1);
      }
    }
  }
  return { refusal, numbers, nested };
}

function refuseMember(name: string, object: Exclude<Container, 'array'>): string | undefined {
  if (object.names.has(name)) {
    return `The body has the member ${JSON.stringify(name)} twice in one object.`;
  }
  // Nothing here copies members blindly. But a body that tries to reach a prototype has no honest purpose, and the next
  // program to read it may be less careful.
  if (name === '__proto__') return 'The body must not have a member "__proto__".';
  if (name === 'prototype' && object.isConstructor) {
    return 'The body must not have a member "constructor" with a "prototype".';
  }
  return undefined;
}

/** The index after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  }
  return at + 1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(char: number): boolean {
  return char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09;
}

const NUMBER = /-?[0-9][0-9.eE+-]*/y;

function numberAt(text: string, at: number): string | undefined {
  if (text.charCodeAt(at) === QUOTE) return undefined;
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)?.[0];
}

/** The name that a literal stands for: `"\u0061"` and `"a"` are the same member. */
function memberName(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal; // A bad escape: JSON.parse reports it for the whole body.
  }
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_json', message);
}
