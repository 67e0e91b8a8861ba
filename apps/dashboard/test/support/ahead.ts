import type { Page } from '@petstore/test-support/browser.ts';
import { timeUntil } from '@petstore/test-support/within.ts';

/** How far a page's clock is put forward between two looks at it, in milliseconds. */
const STEP_MS = 500;

type Shown = ReturnType<Page['getByText']>;

/**
 * Waits until a page shows what it finds out by itself, when it asks the next time. Its clock runs ahead until then: the test
 * has taken it over (`page.clock.install()`) before the page was loaded. What is said for a few seconds is gone afterwards.
 */
export async function waitAhead(page: Page, shown: Shown): Promise<void> {
  await timeUntil(async () => {
    if (await shown.first().isVisible()) return true;
    await page.clock.fastForward(STEP_MS);
    return false;
  });
}
