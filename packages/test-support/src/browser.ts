import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { cleanUp, type Ending, FILE } from './clean-up.ts';
import { type BrowserOptions, launchBrowser } from './launch-browser.ts';
import { slowDown } from './slow-pages.ts';

export type { Browser, Page, Route } from 'playwright-core';
export type { BrowserOptions } from './launch-browser.ts';
export { seriousViolations } from './serious-violations.ts';

let launched: Promise<Browser> | undefined;

/**
 * How long a page is waited for, in milliseconds: only what never comes takes so long, and then it is said what. Shorter
 * than what a test may take.
 */
const PATIENCE_MS = 90_000;

/** Has the pages of a browser waited for as long as all others, and slower where that is asked for. */
function prepareContexts(browser: Browser): void {
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    const newPage = context.newPage.bind(context);
    context.newPage = async () => {
      const page = await newPage();
      await slowDown(page);
      return page;
    };
    // Windows that pages open.
    context.on('page', (page) => void slowDown(page).catch(() => undefined));
    return context;
  };
  browser.newPage = async (options) => (await browser.newContext(options)).newPage();
}

/**
 * A browser out of an npm package, so that a machine needs none: one for all tests of a file, as the first
 * wants it. What a test opens in it shares nothing with others, and is closed when the test ends.
 */
export async function startBrowser(t: Ending, options: BrowserOptions = {}): Promise<Browser> {
  launched ??= launchBrowser(options).then((browser) => {
    cleanUp(FILE, () => {
      launched = undefined;
      return browser.close();
    });
    prepareContexts(browser);
    return browser;
  });
  const browser = await launched;
  cleanUp(t, () => Promise.all(browser.contexts().map(closeContext)));
  return browser;
}

/** What answers in place of a server may be doing so for a page that asks from time to time: that is no error then. */
async function closeContext(context: BrowserContext): Promise<void> {
  const behavior = 'ignoreErrors';
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior })));
  await context.close();
}

/**
 * A picture for people to look at, where SCREENSHOTS is set: they would take half of the time of the tests of pages.
 * `path`: where it is put, as PNG.
 */
export async function screenshot(
  page: Page,
  path: string,
  options: { readonly fullPage?: boolean } = {},
): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path, ...options });
}

/** What a page asked for and complained of. */
export interface Watched {
  /** Requests, as `GET http://…`. */
  readonly requests: string[];
  /** Errors of scripts, of the content security policy, and others that the console has. */
  readonly complaints: string[];
}

export function watch(page: Page): Watched {
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) requests.push(`${request.method()} ${request.url()}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return { requests, complaints };
}
