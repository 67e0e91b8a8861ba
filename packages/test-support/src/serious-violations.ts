import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { settled } from './settled.ts';

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Rules about what a theme changes: https://github.com/dequelabs/axe-core/blob/develop/doc/rule-descriptions.md. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Switches off the rules whose violations are of less impact, and not told here: they are half of the work. */
const LESSER_RULES = `Object.fromEntries(
  axe._audit.rules
    .filter(({ impact }) => /^(minor|moderate)$/.test(impact))
    .map(({ id }) => [id, { enabled: false }]),
)`;

/**
 * What axe finds serious or critical for those who cannot see a page well, a line for each rule. The page's own
 * policy does not matter: axe is brought in as a debugger would. `isExcused` is asked about the HTML of each
 * element; `colorsOnly` is for a page that was looked at in its other theme.
 */
export async function seriousViolations(
  page: Page,
  {
    isExcused = () => false,
    colorsOnly = false,
  }: { readonly isExcused?: (html: string) => boolean; readonly colorsOnly?: boolean } = {},
): Promise<string[]> {
  // A page that was looked at before has it, which is as much work as a look.
  if (!(await page.evaluate('"axe" in window'))) {
    const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
    await page.evaluate(await readFile(axe, 'utf8'));
  }
  await settled(page);
  const options = {
    resultTypes: ['violations'],
    // Styles and films would be loaded again, for a rule that is off and one that finds nothing serious.
    preload: false,
    ...(colorsOnly && { runOnly: COLOR_RULES }),
  };
  const violations = (await page.evaluate(
    `axe.run({ ...${JSON.stringify(options)}, rules: ${LESSER_RULES} }).then(({ violations }) => violations)`,
  )) as Violation[];
  return violations
    .map(({ id, impact, nodes }) => ({
      id,
      impact,
      elements: nodes.map(({ html }) => html).filter((html) => !isExcused(html)),
    }))
    .filter(({ impact, elements }) => /^(serious|critical)$/.test(impact) && elements.length > 0)
    .map(({ id, elements }) => `${id}: ${elements.join(' | ')}`);
}
