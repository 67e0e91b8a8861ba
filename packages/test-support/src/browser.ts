import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { cleanUp, type Ending, FILE, PROCESS } from './clean-up.ts';
import { type BrowserOptions, launchBrowser } from './launch-browser.ts';
import { settled } from './settled.ts';
import { slowDown } from './slow-pages.ts';

export type { Browser, Page, Route } from 'playwright-core';
export type { BrowserOptions } from './launch-browser.ts';
export { seriousViolations } from './serious-violations.ts';
export { settled } from './settled.ts';

/** Those that run, by their options. */
const launched = new Map<string, Promise<Browser>>();

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
      // Without scripts nothing has to be waited for, and no frame tells that it came.
      if (options?.javaScriptEnabled !== false) settleAfterChanges(page);
      return page;
    };
    // Windows that pages open.
    context.on('page', (page) => void slowDown(page).catch(() => undefined));
    return context;
  };
  browser.newPage = async (options) => (await browser.newContext(options)).newPage();
}

/** Has a page that gets another size, or other media, looked at when it has done what it does then. */
function settleAfterChanges(page: Page): void {
  const resize = page.setViewportSize.bind(page);
  page.setViewportSize = async (size) => {
    await resize(size);
    await settled(page).catch(isLeft);
  };
  const emulate = page.emulateMedia.bind(page);
  page.emulateMedia = async (media) => {
    await emulate(media);
    await settled(page).catch(isLeft);
  };
}

/** A page that is left for another one meanwhile has nothing to settle. */
function isLeft(): void {}

/**
 * A browser out of an npm package, so that a machine needs none: one for all tests of a process, as the first wants it,
 * and one with options for those of its file. What a test opens in it shares nothing with others, and is closed when the
 * test ends.
 */
export async function startBrowser(t: Ending, options: BrowserOptions = {}): Promise<Browser> {
  const key = JSON.stringify(options);
  const starting = launched.get(key) ?? startAnother(key, options);
  const started = await starting.catch(() => undefined);
  // One that broke fails the tests of a file, and not those of all that follow.
  const browser = started?.isConnected() ? started : await startAnother(key, options);
  cleanUp(t, () => Promise.all(browser.contexts().map(closeContext)));
  return browser;
}

/** Starts one that others of these options get from now on, too. */
function startAnother(key: string, options: BrowserOptions): Promise<Browser> {
  const end = Object.keys(options).length === 0 ? PROCESS : FILE;
  const starting = launchBrowser(options).then((browser) => {
    cleanUp(end, () => {
      launched.delete(key);
      return browser.close();
    });
    prepareContexts(browser);
    return browser;
  });
  launched.set(key, starting);
  return starting;
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
