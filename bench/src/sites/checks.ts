import type { Browser } from '../../../packages/test-support/src/browser.ts';
import { seriousViolations } from '../../../packages/test-support/src/serious-violations.ts';
import { readPaths } from './own-site.ts';

/** A page of each kind, by what its path looks like. */
const TEMPLATES: Readonly<Record<string, RegExp>> = {
  overview: /^\/$/,
  webhook: /^\/reference\/webhooks\/[^/]+$/,
  models: /^\/reference\/models$/,
  model: /^\/reference\/models\/[^/]+$/,
  tag: /^\/reference\/(?!models$|webhooks$)[^/]+$/,
  operation: /^\/reference\/(?!models\/|webhooks\/)[^/]+\/[^/]+$/,
};

/** What axe finds serious on a page of each kind, light and dark: a line for each, with the kind before it. */
export async function checkTemplates(browser: Browser, site: string): Promise<string[]> {
  const paths = await readPaths(site);
  const found: string[] = [];
  for (const [template, shape] of Object.entries(TEMPLATES)) {
    const alike = paths.filter((path) => shape.test(path));
    const path = alike[alike.length >> 1];
    if (path === undefined) continue;
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ viewport: { width: 1_280, height: 900 }, colorScheme });
      try {
        await page.goto(site + path, { timeout: 30_000 });
        const lines = await seriousViolations(page, { colorsOnly: colorScheme === 'dark' });
        found.push(...lines.map((line) => `${template} ${path}: ${line.slice(0, 200)}`));
      } finally {
        await page.close();
      }
    }
  }
  return found;
}
