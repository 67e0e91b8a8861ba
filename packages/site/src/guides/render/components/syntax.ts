import type { Handle as FromToken, Extension as MdastExtension } from 'mdast-util-from-markdown';
import type {
  Code,
  Construct,
  Effects,
  Extension,
  State,
  TokenizeContext,
} from 'micromark-util-types';
import type { Processor } from 'unified';

// Finds the marks of components in Markdown: `<Tag …>`, `{% block %}`, `:::directive`, `{expression}`, and lines of
// program code. A mark becomes a node of its own, wherever a list, a quote or a table has it; `nestMarks` makes trees of
// them. What is no mark stays Markdown, so that a `<` or `{` in a text fails no page: MDX's own parser refuses such a
// page, and knows no HTML.

/** A mark as its author wrote it. */
export interface MarkNode {
  type: 'guideMark';
  value: string;
  position?: import('unist').Position | undefined;
  data?: undefined;
}

declare module 'mdast' {
  interface RootContentMap {
    guideMark: MarkNode;
  }
  interface PhrasingContentMap {
    guideMark: MarkNode;
  }
}

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    guideMark: 'guideMark';
    guideMarkText: 'guideMarkText';
  }
}

/** The most characters of a mark. What is longer is text. */
const MAX_MARK = 8_000;

const LESS = 60;
const BRACE = 123;
const COLON = 58;

const isEnd = (code: Code): code is null => code === null;
const isEol = (code: Code) => code !== null && code < -2;
const isBlank = (code: Code) => code === -2 || code === -1 || code === 32;
const letter = (code: number) =>
  code === -2 || code === -1 ? ' ' : code < 0 ? '\n' : String.fromCharCode(code);

/** Reads a mark character by character. */
interface Scanner {
  /** Whether the character belongs to the mark, is its last one, or shows that there is no mark. */
  next(char: string): 'more' | 'last' | 'none';
}

/** Where strings, comments and brackets of program code begin and end. */
class Brackets {
  depth = 0;
  #quote = '';
  #previous = '';

  /** Whether all that was opened is closed. */
  get isClosed(): boolean {
    return this.depth === 0 && this.#quote === '';
  }

  next(char: string): void {
    const previous = this.#previous;
    this.#previous = previous === '\\' && char === '\\' ? '' : char;
    if (this.#quote === '*') {
      if (previous === '*' && char === '/') this.#quote = '';
    } else if (this.#quote === '/') {
      if (char === '\n') this.#quote = '';
    } else if (this.#quote !== '') {
      const isOver = char === this.#quote || (char === '\n' && this.#quote !== '`');
      if (isOver && previous !== '\\') this.#quote = '';
    } else if (previous === '/' && (char === '*' || char === '/')) this.#quote = char;
    else if (char === '"' || char === "'" || char === '`') this.#quote = char;
    else if ('{[('.includes(char)) this.depth += 1;
    else if ('}])'.includes(char)) this.depth -= 1;
  }
}

/** `<Name attribute="…" other={…}>`, `</Name>`, `<Name />`, `<>` and `</>`. */
function tagScanner(isMdx: boolean): Scanner {
  const first = isMdx ? /[\p{L}_$]/u : /\p{Lu}/u;
  let at: 'start' | 'name' | 'closing' | 'between' | 'slash' | 'attribute' | 'value' | 'bare' =
    'start';
  let quote = '';
  let braces: Brackets | undefined;
  let isClosing = false;
  let isBlankLine = false;
  return {
    next(char) {
      if (braces) {
        braces.next(char);
        if (braces.depth === 0) {
          braces = undefined;
          at = 'between';
        }
        return 'more';
      }
      if (quote !== '') {
        if (char === quote) {
          quote = '';
          at = 'between';
        }
        return 'more';
      }
      const isSpace = /\s/.test(char);
      if (char === '\n') {
        if (isBlankLine || at === 'start' || at === 'closing') return 'none';
        isBlankLine = true;
      } else if (!isSpace) isBlankLine = false;
      if (at === 'start') {
        if (char === '<') return 'more';
        if (char === '/' && !isClosing) {
          isClosing = true;
          return 'more';
        }
        if (char === '>' && isMdx) return 'last';
        if (!first.test(char)) return 'none';
        at = 'name';
        return 'more';
      }
      if (at === 'name') {
        if (/[\p{L}\p{N}._-]/u.test(char)) return 'more';
        at = 'between';
      }
      if (char === '>') return at === 'value' ? 'none' : 'last';
      if (at === 'slash') return 'none';
      if (at === 'value') {
        if (char === '"' || char === "'") quote = char;
        else if (char === '{') {
          braces = new Brackets();
          braces.next(char);
        } else if (!isSpace) {
          if (/[<=`]/.test(char)) return 'none';
          at = 'bare';
        }
        return 'more';
      }
      if (char === '/' && at !== 'bare') {
        at = 'slash';
        return 'more';
      }
      if (isSpace) {
        if (at === 'attribute' || at === 'bare') at = 'between';
        return 'more';
      }
      if (at === 'bare') return /["'<=`]/.test(char) ? 'none' : 'more';
      if (isClosing) return 'none';
      if (char === '=') {
        at = 'value';
        return 'more';
      }
      if (char === '{' && at === 'between') {
        braces = new Brackets();
        braces.next(char);
        return 'more';
      }
      if (!/[\p{L}\p{N}_:@.$-]/u.test(char)) return 'none';
      at = 'attribute';
      return 'more';
    },
  };
}

/** `{% name attribute="…" %}` */
function blockScanner(): Scanner {
  let text = '';
  return {
    next(char) {
      text += char;
      // Another one that begins shows that this one has no end.
      if (text.length === 2 ? text !== '{%' : text.endsWith('{%')) return 'none';
      return text.length > 3 && text.endsWith('%}') ? 'last' : 'more';
    },
  };
}

/** `{expression}`, and in plain Markdown only the comments: `{/* … *\/}`. */
function expressionScanner(isMdx: boolean): Scanner {
  const brackets = new Brackets();
  let start = '';
  return {
    next(char) {
      if (start.length < 3) {
        start += char;
        if (start.length === 2 && /[%#}]/.test(char)) return 'none';
        if (!isMdx && start.length === 3 && start !== '{/*') return 'none';
      }
      brackets.next(char);
      if (brackets.depth < 0) return 'none';
      return brackets.isClosed && char === '}' ? 'last' : 'more';
    },
  };
}

/** A directive's line without its end: `:::note[Title]{key=value}`, `:::note Title`, `:::`, `::name{…}`. */
const DIRECTIVE = /^(?::{3,}[ \t]*(?:\p{L}[\p{L}\p{N}_-]*.*)?|::\p{L}[\p{L}\p{N}_-]*[[{].*)$/u;

/** The first line of program code; prose that begins with the same word is none. */
const PROGRAM =
  /^(?:import\s*(?:["'].*["']|[{*]|[\w$]+\s*(?:,|\s+from\s+["']))|export\s+(?:default\b|(?:const|let|var|class|async)\s+[\w$[{]|function\b|\{|\*))/;

/**
 * A construct for marks that scanners read. In flow, a line has marks alone; in text, one stands among words.
 */
function marks(scanner: () => Scanner, isFlow: boolean): Construct {
  return {
    name: 'guideMark',
    concrete: isFlow,
    tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
      let reader = scanner();
      let length = 0;
      const start: State = (code) => {
        effects.enter('guideMark');
        effects.enter('guideMarkText');
        return inside(code);
      };
      const inside: State = (code) => {
        if (isEnd(code) || length > MAX_MARK) return nok(code);
        const next = reader.next(letter(code));
        if (next === 'none') return nok(code);
        length += 1;
        if (isEol(code)) {
          effects.exit('guideMarkText');
          effects.enter('lineEnding');
          effects.consume(code);
          effects.exit('lineEnding');
          return lineStart;
        }
        effects.consume(code);
        if (next === 'more') return inside;
        effects.exit('guideMarkText');
        effects.exit('guideMark');
        return isFlow ? after : ok;
      };
      const lineStart: State = (code) => {
        // A line that only continues a list or a quote lazily is no part of the mark.
        if (isFlow && this.parser.lazy[this.now().line]) return nok(code);
        if (isEol(code)) {
          if (reader.next('\n') === 'none') return nok(code);
          effects.enter('lineEnding');
          effects.consume(code);
          effects.exit('lineEnding');
          return lineStart;
        }
        if (isEnd(code)) return nok(code);
        effects.enter('guideMarkText');
        return inside(code);
      };
      const after: State = (code) => {
        if (isEnd(code) || isEol(code)) return ok(code);
        if (isBlank(code)) {
          effects.enter('whitespace');
          return blank(code);
        }
        if (code !== LESS && code !== BRACE) return nok(code);
        reader = scanner();
        return start(code);
      };
      const blank: State = (code) => {
        if (isBlank(code)) {
          effects.consume(code);
          return blank;
        }
        effects.exit('whitespace');
        return after(code);
      };
      return start;
    },
  };
}

/** Reads whole lines as one mark, to the one that `isLast` says is the last. */
function lines(
  isFirst: (line: string) => boolean,
  isLast: (brackets: Brackets, isNextBlank: boolean) => boolean,
  mayInterrupt: boolean,
): Construct {
  return {
    name: 'guideMark',
    concrete: true,
    tokenize(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
      const brackets = new Brackets();
      let line = '';
      let isStart = true;
      const begin: State = (code) => {
        if (!mayInterrupt && (this.interrupt || this.now().column !== 1)) return nok(code);
        effects.enter('guideMark');
        effects.enter('guideMarkText');
        return inside(code);
      };
      const inside: State = (code) => {
        if (!isEnd(code) && !isEol(code)) {
          if (line.length > MAX_MARK) return nok(code);
          const char = letter(code);
          line += char;
          brackets.next(char);
          effects.consume(code);
          return inside;
        }
        if (isStart && !isFirst(line.trimEnd())) return nok(code);
        isStart = false;
        brackets.next('\n');
        effects.exit('guideMarkText');
        if (isEnd(code) || mayInterrupt) return end(code);
        const next = { partial: true, tokenize: blankLineAhead };
        return effects.check(next, lastOr(true), lastOr(false))(code);
      };
      const lastOr =
        (isNextBlank: boolean): State =>
        (code) =>
          isLast(brackets, isNextBlank) ? end(code) : eol(code);
      const eol: State = (code) => {
        if (isEnd(code)) return end(code);
        effects.enter('lineEnding');
        effects.consume(code);
        effects.exit('lineEnding');
        return lineStart;
      };
      const lineStart: State = (code) => {
        if (this.parser.lazy[this.now().line]) return nok(code);
        if (isEnd(code)) return brackets.isClosed ? end(code) : nok(code);
        if (isEol(code)) return isLast(brackets, true) ? end(code) : eol(code);
        line = '';
        effects.enter('guideMarkText');
        return inside(code);
      };
      const end: State = (code) => {
        effects.exit('guideMark');
        return ok(code);
      };
      return begin;
    },
  };
}

/** Succeeds where the next line is blank, or there is none. */
function blankLineAhead(effects: Effects, ok: State, nok: State): State {
  const first: State = (code) => {
    effects.enter('lineEnding');
    effects.consume(code);
    effects.exit('lineEnding');
    return rest;
  };
  const rest: State = (code) => {
    if (isEnd(code) || isEol(code)) return ok(code);
    if (!isBlank(code)) return nok(code);
    effects.enter('whitespace');
    effects.consume(code);
    effects.exit('whitespace');
    return rest;
  };
  return first;
}

const isProgram = (line: string) => PROGRAM.test(line);

/** Program code ends with the blank line after which all of its brackets are closed. */
const program = lines(
  isProgram,
  (brackets, isNextBlank) => isNextBlank && brackets.isClosed,
  false,
);

/** Program code that closes no bracket ends with its first blank line, so that the rest of the page stays. */
const brokenProgram = lines(isProgram, (_, isNextBlank) => isNextBlank, false);

const directive = lines(
  (line) => DIRECTIVE.test(line),
  () => true,
  true,
);

function syntax(isMdx: boolean, hasIndentedCode: boolean): Extension {
  const tag = (isFlow: boolean) => marks(() => tagScanner(isMdx), isFlow);
  const block = (isFlow: boolean) => marks(blockScanner, isFlow);
  const expression = (isFlow: boolean) => marks(() => expressionScanner(isMdx), isFlow);
  const off = [...(hasIndentedCode ? [] : ['codeIndented']), ...(isMdx ? ['htmlFlow'] : [])];
  return {
    flow: {
      [LESS]: tag(true),
      [BRACE]: [block(true), expression(true)],
      [COLON]: directive,
      101: [program, brokenProgram],
      105: [program, brokenProgram],
    },
    text: {
      [LESS]: tag(false),
      [BRACE]: [block(false), expression(false)],
    },
    disable: { null: off },
  };
}

const enterMark: FromToken = function (token) {
  this.enter({ type: 'guideMark', value: '' } as never, token);
};

const exitMark: FromToken = function (token) {
  const node = this.stack.at(-1) as unknown as MarkNode;
  node.value = this.sliceSerialize(token);
  this.exit(token);
};

const toMdast: MdastExtension = {
  enter: { guideMark: enterMark },
  exit: { guideMark: exitMark },
};

/**
 * Reads marks as nodes. In MDX, tags of HTML are marks as well, and so are expressions. Where components are indented,
 * indentation makes no code.
 */
export function remarkMarks(
  this: Processor,
  { isMdx, hasIndentedCode }: { readonly isMdx: boolean; readonly hasIndentedCode: boolean },
): void {
  const data = this.data();
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), syntax(isMdx, hasIndentedCode)];
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), toMdast];
}
