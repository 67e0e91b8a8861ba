import type { Paragraph, Root } from 'mdast';
import { mathFromMarkdown } from 'mdast-util-math';
import { math } from 'micromark-extension-math';
import type { Code, Construct, State } from 'micromark-util-types';
import type { Processor } from 'unified';
import { visitMarkdown } from '../../../markdown/visit.ts';

/**
 * Reads formulas: `$…$` in a text, `$$` around lines of their own, and fenced code `math`. They become code elements
 * with the class `language-math`, which the sanitizer keeps and `rehypeMath` draws.
 */
export function remarkMath(this: Processor) {
  const data = this.data();
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), mathBesidePrices()];
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), mathFromMarkdown()];
}

/** Makes a block of each paragraph that is nothing but `$$…$$`, as Mintlify, GitBook and GitHub do. */
export function mathBlocks(tree: Root, markdown: string): void {
  visitMarkdown(tree, 'paragraph', (node, index, parent) => {
    const block = blockOf(node, markdown);
    if (block !== undefined) parent.children[index] = block;
  });
}

function blockOf({ children }: Paragraph, markdown: string) {
  const [formula] = children;
  if (children.length !== 1 || formula?.type !== 'inlineMath') return undefined;
  const { value, position } = formula;
  if (!markdown.startsWith('$$', position?.start.offset)) return undefined;
  const code = { type: 'element', tagName: 'code', properties: MATH, children: [text(value)] };
  const data = { hName: 'pre', hChildren: [code] };
  return { type: 'math', value, position, data } as Root['children'][number];
}

const MATH = { className: ['language-math'] };

const text = (value: string) => ({ type: 'text', value });

const DOLLAR = 36;

/** The syntax of math, where a single dollar is math only by the rule of `isFormula`. */
function mathBesidePrices() {
  const syntax = math();
  const written = syntax.text?.[DOLLAR] as Construct;
  const guarded: Construct = {
    ...written,
    // `US$5`
    previous(code) {
      return !isLetter(code) && (written.previous?.call(this, code) ?? true);
    },
    tokenize(effects, ok, nok) {
      const read = written.tokenize.call(this, effects, ok, nok);
      return effects.check(FORMULA, read, nok);
    },
  };
  return { ...syntax, text: { [DOLLAR]: guarded } };
}

/**
 * Whether a dollar begins a formula, by Pandoc's rule: it stands before something else than a space, and the next dollar
 * stands after something else than a space and not before a digit. So `$5 and $10` are prices.
 */
const FORMULA: Construct = {
  partial: true,
  tokenize(effects, ok, nok) {
    let previous: Code = null;
    return open;

    function open(code: Code): State | undefined {
      effects.enter('mathText');
      effects.consume(code);
      return first;
    }

    function first(code: Code): State | undefined {
      // Two dollars and more are no price.
      if (code === DOLLAR) return end(code);
      return isSpace(code) ? nok(code) : inside(code);
    }

    function inside(code: Code): State | undefined {
      if (code === null) return nok(code);
      // A line's end is a token of its own.
      const isLineEnd = code < -2;
      if (isLineEnd) {
        effects.exit('mathText');
        effects.enter('lineEnding');
      }
      const isClosing = code === DOLLAR;
      if (isClosing && isSpace(previous)) return nok(code);
      previous = code;
      effects.consume(code);
      if (isLineEnd) {
        effects.exit('lineEnding');
        effects.enter('mathText');
      }
      return isClosing ? after : inside;
    }

    function after(code: Code): State | undefined {
      return code !== null && code >= DIGIT_0 && code <= DIGIT_9 ? nok(code) : end(code);
    }

    function end(code: Code): State | undefined {
      effects.exit('mathText');
      return ok(code);
    }
  },
};

const DIGIT_0 = 48;
const DIGIT_9 = 57;

const isLetter = (code: Code) =>
  code !== null && code > 0 && /[A-Za-z]/.test(String.fromCodePoint(code));

/** Ends of lines and tabs are negative numbers. */
const isSpace = (code: Code) => code === null || code < 0 || code === 32;
