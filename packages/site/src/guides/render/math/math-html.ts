import type { Root } from 'hast';
import { raw } from 'hast-util-raw';
import { sanitize } from 'hast-util-sanitize';
import katex from 'katex';
import { isNestedTooDeeply, MAX_NESTING } from '../safe-html.ts';
import { drawForBrowsers } from './mathml-core.ts';
import { SAFE_MATH } from './safe-math.ts';

/** In letters. Longer ones are data, or there to take time. */
const MAX_FORMULA = 10_000;

/** Of macros, KaTeX's own included. */
const MAX_EXPANSIONS = 1_000;

/** In letters, of the macros that a formula defines. Each may be as long as the formula. */
const MAX_EXPANDED = 300_000;

const DEFINES_MACROS = /\\(?:[egx]?def|(?:new|renew|provide)command)/;

/** In letters of MathML; a formula of 10,000 letters without macros makes less. */
const MAX_MADE = 2_000_000;

/** In em, of rules and spaces. */
const MAX_SIZE = 20;

/**
 * A formula of TeX as MathML, which browsers draw without a script, a style or a font. It loads nothing and leads
 * nowhere. The error says why it cannot be drawn.
 */
export function mathHtml(tex: string, isBlock: boolean): Root | { readonly error: string } {
  if (tex.length > MAX_FORMULA) {
    return { error: `It is longer than ${MAX_FORMULA.toLocaleString('en')} characters.` };
  }
  const refused: string[] = [];
  try {
    const value = katex.renderToString(tex, {
      output: 'mathml',
      displayMode: isBlock,
      throwOnError: true,
      strict: 'ignore',
      trust: ({ command }) => {
        refused.push(command);
        return false;
      },
      maxExpand: expansionsOf(tex),
      maxSize: MAX_SIZE,
    });
    if (refused[0]) return { error: `\`${refused[0]}\` is not allowed in formulas.` };
    if (value.length > MAX_MADE) return { error: 'Its macros make too much of it.' };
    const tree = raw({ type: 'raw', value }) as Root;
    if (isNestedTooDeeply(tree)) return { error: TOO_DEEP };
    const safe = sanitize(tree, SAFE_MATH) as Root;
    drawForBrowsers(safe);
    return safe;
  } catch (error) {
    if (error instanceof katex.ParseError) return { error: `${error.rawMessage}.` };
    if (error instanceof RangeError) return { error: TOO_DEEP };
    throw error;
  }
}

const expansionsOf = (tex: string) =>
  DEFINES_MACROS.test(tex) ? Math.min(MAX_EXPANSIONS, MAX_EXPANDED / tex.length) : MAX_EXPANSIONS;

const TOO_DEEP = `It is nested more than ${MAX_NESTING} levels deep.`;
