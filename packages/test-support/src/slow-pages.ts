import type { Browser, Page } from 'playwright-core';

/** How long a request takes longer in a page that is once slower, in milliseconds. */
const LATENCY_MS = 20;

/**
 * Makes the pages of a browser slower, where SLOW_PAGES says how many times: their scripts, and each of their
 * requests. What a test does too early, or asserts without waiting for it, falls then, and not once in a thousand runs.
 */
export function slowPages(browser: Browser): void {
  const rate = Number(process.env.SLOW_PAGES ?? 1);
  if (!(rate > 1)) return;
  const slow = async (page: Page) => {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate });
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: LATENCY_MS * rate },
      ...{ downloadThroughput: -1, uploadThroughput: -1 },
    });
  };
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    const newPage = context.newPage.bind(context);
    context.newPage = async () => {
      const page = await newPage();
      await slow(page);
      return page;
    };
    // Windows that pages open.
    context.on('page', (page) => void slow(page).catch(() => undefined));
    return context;
  };
  browser.newPage = async (options) => (await browser.newContext(options)).newPage();
}
