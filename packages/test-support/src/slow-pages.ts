import type { Page } from 'playwright-core';

/** How many times slower pages are. */
const RATE = Number(process.env.SLOW_PAGES ?? 1);

/** How long a request takes longer in a page that is once slower, in milliseconds. */
const LATENCY_MS = 20;

/**
 * Makes a page slower, where SLOW_PAGES says how many times: its scripts, and each of its requests. What a test does too
 * early, or asserts without waiting for it, falls then, and not once in a thousand runs.
 */
export async function slowDown(page: Page): Promise<void> {
  if (!(RATE > 1)) return;
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: RATE });
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: LATENCY_MS * RATE },
    ...{ downloadThroughput: -1, uploadThroughput: -1 },
  });
}
