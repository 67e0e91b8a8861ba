import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { cleanUp, type Ending, FILE } from './clean-up.ts';
import { type BrowserOptions, launchBrowser } from './launch-browser.ts';
import { slowPages } from './slow-pages.ts';

export type { Browser, Page, Route } from 'playwright-core';
export type { BrowserOptions } from './launch-browser.ts';
export { seriousViolations } from './serious-violations.ts';

let launched: Promise<Browser> | undefined;

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
    slowPages(browser);
    return browser;
  });
  const browser = await launched;
  cleanUp(t, () => Promise.all(browser.contexts().map((context) => context.close())));
  return browser;
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
