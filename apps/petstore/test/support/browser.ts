import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ROOT } from './program.ts';

/** Where pictures of pages go, for people to look at; ignored by git. */
export const SCREENSHOTS = join(ROOT, 'apps/petstore/test/screenshots');

/** Where the browser is unpacked. It would take any that it finds in the shared temporary folder. */
const UNPACKED = join(ROOT, 'node_modules/.cache/chromium');

/** A browser out of an npm package, so that a machine needs none. Closed when the test ends. */
export async function startBrowser(t: TestContext): Promise<Browser> {
  mkdirSync(UNPACKED, { recursive: true });
  mkdirSync(SCREENSHOTS, { recursive: true });
  process.env.TMPDIR = UNPACKED;
  const { default: sparticuz } = await import('@sparticuz/chromium');
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: await sparticuz.executablePath(),
    // The package would switch off what keeps origins apart, and end with the first page that closes.
    args: [
      ...sparticuz.args.filter(
        (arg) => !['--disable-web-security', '--single-process'].includes(arg),
      ),
      '--disable-background-networking',
      '--no-first-run',
    ],
  });
  t.after(() => browser.close());
  return browser;
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
