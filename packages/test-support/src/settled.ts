import type { Page } from 'playwright-core';

/** Waits until a page has done what it does a frame after a change: two frames later, whatever moves has moved. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  );
}
