import { isUtf8 } from 'node:buffer';
import { int64FromJsonNumber } from '../int64.ts';
import { ApiError } from './api-error.ts';
import { MAX_JSON_DEPTH } from './limits.ts';

/**
 * Reads a request body as strict JSON: RFC 8259 in UTF-8 without a byte order mark, with the rules
 * of I-JSON (RFC 7493) that keep two readers from seeing two different bodies: no member twice.
 *
 * Integers within int64 come back as bigint, exact to the last digit; every other number as a JS
 * number. Throws ApiError `invalid_json` that says what is wrong and, for syntax, where.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw invalid('The body is empty; it must be a JSON object.');
  if (!isUtf8(bytes)) throw invalid('The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  if (text.charCodeAt(0) === 0xfeff) {
    throw invalid('The body starts with a byte order mark; send UTF-8 without one.');
  }

  const repeated = findRepeatedMember(text);
  let value: unknown;
  try {
    value = JSON.parse(text, readMember);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(`The body is not JSON: ${error.message}`);
    throw error;
  }
  if (repeated !== undefined) {
    throw invalid(`The body has the member ${JSON.stringify(repeated)} twice in one object.`);
  }
  return value;
}

function readMember(key: string, value: unknown, { source }: { source?: string }): unknown {
  // Nothing here copies members blindly, but a body that tries to reach a prototype has no honest
  // reading, and the next program to read it may be less careful.
  if (
    key === '__proto__' ||
    (key === 'constructor' && typeof value === 'object' && value && 'prototype' in value)
  ) {
    throw invalid(`The body must not have a member ${JSON.stringify(key)}.`);
  }
  if (typeof value !== 'number' || source === undefined) return value;
  return int64FromJsonNumber(source) ?? value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Returns the first member name that stands twice in one object, or undefined. JSON.parse would
 * keep the last one in silence. Runs before the syntax is known to be good, since it also bounds
 * the depth that the (recursive) reviver will walk: throws ApiError beyond MAX_JSON_DEPTH. On text
 * that is not JSON its answer means nothing.
 */
function findRepeatedMember(text: string): string | undefined {
  // One entry for each open container: the names seen in an object, null in an array.
  const open: (Set<string> | null)[] = [];
  let repeated: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x7b /* { */ || char === 0x5b /* [ */) {
      open.push(char === 0x7b ? new Set() : null);
      if (open.length > MAX_JSON_DEPTH) {
        throw invalid(`The body must not be nested deeper than ${MAX_JSON_DEPTH} levels.`);
      }
    } else if (char === 0x7d /* } */ || char === 0x5d /* ] */) {
      open.pop();
    } else if (char === QUOTE) {
      const end = endOfString(text, at);
      const names = open.at(-1);
      if (names && isFollowedByColon(text, end)) {
        const name = memberName(text.slice(at, end));
        if (names.has(name)) repeated ??= name;
        names.add(name);
      }
      at = end - 1;
    }
  }
  return repeated;
}

/** The index after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  }
  return at + 1;
}

function isFollowedByColon(text: string, from: number): boolean {
  let at = from;
  while (' \t\n\r'.includes(text[at] ?? '-')) at++;
  return text[at] === ':';
}

/** The name that a literal stands for: `"\u0061"` and `"a"` are the same member. */
function memberName(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return JSON.parse(literal);
  } catch {
    return literal; // A bad escape: JSON.parse reports it for the whole body.
  }
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_json', message);
}
