import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Finding } from '@petstore/site/build-log.ts';
import {
  screenshot,
  seriousViolations,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { coverNothing } from '@petstore/test-support/program.ts';
import { zipOf } from '../../support/archives.ts';
import { buildInMemory, filesOf } from '../../support/build-site.ts';
import { FITS } from '../../support/look.ts';
import { serveSite } from '../../support/serve-site.ts';

coverNothing();

// Formulas as readers have them: drawn by the browser itself, under the policy of the pages.

/** Pictures of pages, for people to look at; ignored by git. */
const SCREENSHOTS = fileURLToPath(new URL('../../screenshots', import.meta.url));

const SUM = Array.from({ length: 30 }, (_, at) => `x_{${at}}`).join(' + ');

const PAGE = `# Interest

A booking of $5 or $10 grows with the rate $r$ over $n$ years: $A = P\\left(1 + \\frac{r}{n}\\right)^{nt}$.

$$
\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2} \\qquad
f(x) = \\begin{cases} x & x \\ge 0 \\\\ -x & \\text{otherwise} \\end{cases}
$$

Points of $\\mathbb{R}^2$ in a table, $\\boxed{a}$ and $\\cancel{b}$:

\`\`\`math
\\begin{array}{c|c} a & b \\\\ \\hline c & d \\end{array}
\`\`\`

$$
\\begin{aligned} a + b &= c \\\\ d &= e + f \\end{aligned}
$$

$$${SUM}$$

Wrong: $\\nothing$

In a text: $${SUM}$ is long.
`;

const VIEWS = [
  { name: 'phone', viewport: { width: 360, height: 740 } },
  { name: 'desk', viewport: { width: 1280, height: 900 } },
];

test('formulas are drawn on phones and desks, light and dark, without JavaScript', async (t) => {
  const bytes = zipOf([
    { name: 'docs.yaml', content: 'title: Bank\n' },
    { name: 'index.md', content: PAGE },
  ]);
  const findings: Finding[] = [];
  const result = await buildInMemory({ kind: 'zip', bytes, name: 'docs.zip' }, (one) => {
    if ('rule' in one && one.rule === 'math') findings.push(one);
  });
  assert.ok('artifact' in result, JSON.stringify(result));
  assert.equal(findings.length, 1);
  const [finding] = findings;
  assert.equal(`${finding?.file}:${finding?.line}`, 'index.md:22');
  assert.match(finding?.message ?? '', /Undefined control sequence: \\nothing/);
  const origin = await serveSite(t, filesOf(result.artifact));
  const browser = await startBrowser(t);
  for (const { name, viewport } of VIEWS) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ viewport, colorScheme, javaScriptEnabled: false });
      const page = await context.newPage();
      const { requests, complaints } = watch(page);
      await page.goto(origin);
      const fraction = page.locator('mfrac').first();
      const numerator = await fraction.locator('mi').first().boundingBox();
      const denominator = await fraction.locator('mi').nth(1).boundingBox();
      assert.ok(numerator && denominator);
      assert.ok(numerator.y + numerator.height <= denominator.y + 1, 'one above the other');
      const right = await page
        .locator('.math-right mi')
        .evaluateAll((letters) => letters.map((letter) => letter.getBoundingClientRect().right));
      assert.ok(Math.abs((right[1] ?? 0) - (right[2] ?? 100)) < 3, 'aligned at the sign');
      await screenshot(page, join(SCREENSHOTS, `math-${name}-${colorScheme}.png`));
      assert.deepEqual(complaints, []);
      assert.equal(
        requests.some((request) => /font|math/.test(request)),
        false,
      );
      await context.close();
    }
    const page = await browser.newPage({ viewport });
    await page.goto(origin);
    assert.equal(await page.evaluate(FITS), true, name);
    assert.deepEqual(await seriousViolations(page), []);
    for (const kind of ['.math-box', '.math-wide']) {
      await page.locator(kind).last().focus();
      assert.equal(await page.locator(`${kind}:focus`).count(), 1, 'it scrolls by keyboard');
    }
  }
});
