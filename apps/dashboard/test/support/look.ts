import assert from 'node:assert/strict';
import { type Page, seriousViolations } from '@petstore/test-support/browser.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { type Installation, screenshot } from './installation.ts';

// What a page must be for all who use it: in either theme, narrow and wide.

export const VIEWS = [
  { name: 'light-1280', colorScheme: 'light', width: 1280 },
  { name: 'dark-1280', colorScheme: 'dark', width: 1280 },
  { name: 'light-360', colorScheme: 'light', width: 360 },
  { name: 'dark-360', colorScheme: 'dark', width: 360 },
] as const;

export interface Place {
  /** Of its pictures. */
  readonly name: string;
  readonly path: string;
  /** What stands there when it is whole. */
  readonly text: string | RegExp;
  /** Opens what is in front of it. */
  readonly open?: (page: Page) => Promise<void>;
}

/**
 * Whether nothing has to be scrolled sideways. What floats takes its new place a moment later. Not
 * `waitForFunction`, of which the page's policy forbids all but the first attempt.
 */
export const FITS = `new Promise((resolve) => {
  const end = performance.now() + 10_000;
  const check = () => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) resolve(true);
    else if (performance.now() > end) resolve(false);
    else requestAnimationFrame(check);
  };
  check();
})`;

/**
 * Looks at a place in every view, or in some where many places are much alike.
 * `isLoaded`: the page shows this address already, and nothing was opened on it.
 */
export async function look(
  page: Page,
  { origin }: Installation,
  { name, path, text, open }: Place,
  views: readonly (typeof VIEWS)[number][] = VIEWS,
  isLoaded = false,
): Promise<void> {
  if (!isLoaded) await page.goto(`${origin}${path}`);
  const seen = page.getByText(text).filter({ visible: true }).first();
  await seen.waitFor();
  assert.equal(page.url(), `${origin}${path}`, 'the address stays');
  // Both come with the page, and not in the same moment as every text of it.
  await timeUntil(async () => /^.+ · Dashboard$/.test(await page.title()));
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, path);
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  await open?.(page);
  for (const [index, view] of views.entries()) {
    await page.emulateMedia({ colorScheme: view.colorScheme });
    await page.setViewportSize({ width: view.width, height: view.width === 360 ? 740 : 860 });
    assert.ok(await page.evaluate(FITS), `${path} is scrolled sideways (${view.name})`);
    await screenshot(page, `${name}-${view.name}`);
    // Themes differ in nothing else.
    const colorsOnly = views.slice(0, index).some(({ width }) => width === view.width);
    const serious = await seriousViolations(page, { colorsOnly });
    assert.deepEqual(serious, [], `${path} (${view.name})`);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
}
