import { badRequest, type ScimError } from '../scim-error.ts';
import {
  type AttributePath,
  COMPARISONS,
  type Comparison,
  type Filter,
  type Literal,
} from './filter.ts';

/** Longer than what directories send, by far; shorter than what costs anything. */
const MAX_LENGTH = 8_192;
const MAX_DEPTH = 32;

/** A path of a PATCH operation: an attribute, one of its values by a filter, a part of it (RFC 7644, section 3.5.2). */
export interface PatchPath {
  readonly path: AttributePath;
  readonly filter: Filter | undefined;
}

/**
 * Parses a filter of the whole grammar of RFC 7644, section 3.4.2.2, and beyond it `emails[type eq "work"].value eq "x"`,
 * which Entra ID sends. At most 8,192 characters, nested 32 deep. Throws ScimError `invalidFilter`.
 */
export function parseFilter(text: string): Filter {
  const parser = new Parser(text, 'invalidFilter');
  const filter = parser.either();
  parser.end();
  return filter;
}

/** Parses a path of a PATCH operation, within the same bounds. Throws ScimError `invalidPath`. */
export function parsePath(text: string): PatchPath {
  const parser = new Parser(text, 'invalidPath');
  const parsed = parser.patchPath();
  parser.end();
  return parsed;
}

const TOKEN = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y;

/** Reads a filter from left to right: one method for each rule of the grammar. */
class Parser {
  readonly #text: string;
  readonly #scimType: 'invalidFilter' | 'invalidPath';
  readonly #tokens: { text: string; at: number; isJoined: boolean }[] = [];
  #next = 0;
  #depth = 0;

  constructor(text: string, scimType: 'invalidFilter' | 'invalidPath') {
    this.#text = text;
    this.#scimType = scimType;
    if (text.length > MAX_LENGTH) {
      throw badRequest(scimType, `It has ${text.length} characters; ${MAX_LENGTH} are the most.`);
    }
    TOKEN.lastIndex = 0;
    let end = 0;
    const length = text.trimEnd().length;
    while (end < length) {
      const match = TOKEN.exec(text);
      if (!match) throw this.#error(end, 'a word, a bracket or a text in quotes');
      const token = match[1] ?? match[2] ?? match[3] ?? '';
      const at = TOKEN.lastIndex - token.length;
      this.#tokens.push({ text: token, at, isJoined: at === end && end > 0 });
      end = TOKEN.lastIndex;
    }
  }

  /** `a or b` */
  either(): Filter {
    const filters = [this.#both()];
    while (this.#takeWord('or')) filters.push(this.#both());
    return joined('or', filters);
  }

  end(): void {
    if (this.#next < this.#tokens.length) throw this.#expected('the end, or `and` or `or`');
  }

  patchPath(): PatchPath {
    const path = this.#attribute();
    if (!this.#take('[')) return { path, filter: undefined };
    const filter = this.#bracketed();
    return { path: { ...path, sub: this.#subAttribute() ?? path.sub }, filter };
  }

  /** `a and b`, which binds more closely than `or`. */
  #both(): Filter {
    const filters = [this.#one()];
    while (this.#takeWord('and')) filters.push(this.#one());
    return joined('and', filters);
  }

  #one(): Filter {
    if (this.#depth > MAX_DEPTH) {
      throw badRequest(this.#scimType, `It is nested more than ${MAX_DEPTH} deep.`);
    }
    if (this.#take('(')) return this.#grouped();
    if (this.#isWord('not') && this.#tokens[this.#next + 1]?.text === '(') {
      this.#next += 2;
      return { kind: 'not', of: this.#grouped() };
    }
    const path = this.#attribute();
    if (!this.#take('[')) return this.#compared(path);
    const filter = this.#bracketed();
    const sub = this.#subAttribute();
    if (sub === undefined) return { kind: 'within', path, filter };
    const compared = this.#compared({ urn: undefined, name: sub, sub: undefined });
    return { kind: 'within', path, filter: joined('and', [filter, compared]) };
  }

  #grouped(): Filter {
    this.#depth++;
    const filter = this.either();
    this.#depth--;
    if (!this.#take(')')) throw this.#expected('`)`');
    return filter;
  }

  #bracketed(): Filter {
    this.#depth++;
    const filter = this.either();
    this.#depth--;
    if (!this.#take(']')) throw this.#expected('`]`');
    return filter;
  }

  /** `.value` right after a bracket. */
  #subAttribute(): string | undefined {
    const token = this.#tokens[this.#next];
    if (!token?.isJoined || !/^\.[A-Za-z$][\w$-]*$/.test(token.text)) return undefined;
    this.#next++;
    return token.text.slice(1);
  }

  #compared(path: AttributePath): Filter {
    if (this.#takeWord('pr')) return { kind: 'present', path };
    const operator = this.#tokens[this.#next]?.text.toLowerCase() as Comparison | undefined;
    if (operator === undefined || !COMPARISONS.includes(operator)) {
      throw this.#expected(`pr, or one of ${COMPARISONS.join(', ')}`);
    }
    this.#next++;
    return { kind: 'compare', path, operator, value: this.#literal() };
  }

  #literal(): Literal {
    const text = this.#tokens[this.#next]?.text;
    try {
      // Entra ID writes True and False.
      const value: unknown = JSON.parse(
        /^(true|false|null)$/i.test(text ?? '') ? `${text}`.toLowerCase() : (text ?? ''),
      );
      if (value === null || typeof value !== 'object') {
        this.#next++;
        return value as Literal;
      }
    } catch {}
    throw this.#expected('a text in double quotes, a number, true, false or null');
  }

  #attribute(): AttributePath {
    const text = this.#tokens[this.#next]?.text ?? '';
    const match = /^(?:(urn:[\w.:+-]+):)?([A-Za-z$][\w$-]*)(?:\.([A-Za-z$][\w$-]*))?$/i.exec(text);
    const [, urn, name, sub] = match ?? [];
    if (name === undefined) throw this.#expected('the name of an attribute');
    this.#next++;
    return { urn: urn?.toLowerCase(), name, sub };
  }

  #take(text: string): boolean {
    if (this.#tokens[this.#next]?.text !== text) return false;
    this.#next++;
    return true;
  }

  #isWord(word: string): boolean {
    return this.#tokens[this.#next]?.text.toLowerCase() === word;
  }

  #takeWord(word: string): boolean {
    if (!this.#isWord(word)) return false;
    this.#next++;
    return true;
  }

  #expected(what: string): ScimError {
    const token = this.#tokens[this.#next];
    return this.#error(token?.at ?? this.#text.length, what);
  }

  #error(at: number, what: string): ScimError {
    const place = at >= this.#text.length ? 'at its end' : `at character ${at + 1}`;
    return badRequest(this.#scimType, `Expected ${what} ${place}.`);
  }
}

function joined(kind: 'and' | 'or', filters: readonly Filter[]): Filter {
  const [only] = filters;
  return filters.length === 1 && only ? only : { kind, of: filters };
}
