import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { cleanUp, type Ending, FILE } from './clean-up.ts';
import { ROOT } from './root.ts';

export type { Browser, Page } from 'playwright-core';

/** Where the browser is unpacked. It would take any that it finds in the shared temporary folder. */
const UNPACKED = join(ROOT, 'node_modules/.cache/browser');

const UNPACK = `
import('@sparticuz/chromium').then(({ default: chromium }) => {
  chromium.setGraphicsMode = false;
  return chromium.executablePath();
});`;

/**
 * The package would switch off what keeps origins apart, end with the first page that closes, and start each page's
 * process from nothing, which takes three times as long as from one that is ready.
 */
const UNWANTED = ['--disable-web-security', '--single-process', '--no-zygote'];

let launched: Promise<Browser> | undefined;

export interface BrowserOptions {
  /** More switches for its command line. */
  readonly args?: readonly string[];
  /** Its home folder, in which it finds the roots that it trusts besides its own. */
  readonly home?: string;
}

/**
 * A browser out of an npm package, so that a machine needs none: one for all tests of a file, as the first
 * wants it. What a test opens in it shares nothing with others, and is closed when the test ends.
 */
export async function startBrowser(t: Ending, options: BrowserOptions = {}): Promise<Browser> {
  launched ??= launch(options).then((browser) => {
    cleanUp(FILE, () => {
      launched = undefined;
      return browser.close();
    });
    return browser;
  });
  const browser = await launched;
  cleanUp(t, () => Promise.all(browser.contexts().map((context) => context.close())));
  return browser;
}

async function launch({ args = [], home }: BrowserOptions): Promise<Browser> {
  unpackOnce();
  const { default: sparticuz } = await import('@sparticuz/chromium');
  const { chromium } = await import('playwright-core');
  // No page here has WebGL. Where it is, a graphics card is emulated to draw everything.
  sparticuz.setGraphicsMode = false;
  return chromium.launch({
    executablePath: join(UNPACKED, 'chromium'),
    args: [
      ...sparticuz.args.filter((arg) => !UNWANTED.includes(arg)),
      '--disable-gpu',
      '--disable-background-networking',
      '--no-first-run',
      ...args,
    ],
    ...(home !== undefined && { env: { ...process.env, HOME: home } }),
  });
}

/** The folder appears whole or not at all: files of tests that run at the same time find no half of a browser. */
function unpackOnce(): void {
  if (existsSync(UNPACKED)) return;
  const unfinished = `${UNPACKED}-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const env = { ...process.env, TMPDIR: unfinished };
    execFileSync(process.execPath, ['-e', UNPACK], { cwd: ROOT, env, stdio: 'inherit' });
    if (!existsSync(UNPACKED)) renameSync(unfinished, UNPACKED);
  } catch (error) {
    // Another was faster, and has unpacked the same.
    if (!existsSync(UNPACKED)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
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

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Rules about what a theme changes: https://github.com/dequelabs/axe-core/blob/develop/doc/rule-descriptions.md. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * What axe finds serious or critical for those who cannot see a page well, a line for each rule. The page's own
 * policy does not matter: axe is brought in as a debugger would. `isExcused` is asked about the HTML of each
 * element; `colorsOnly` is for a page that was looked at in its other theme.
 */
export async function seriousViolations(
  page: Page,
  {
    isExcused = () => false,
    colorsOnly = false,
  }: { readonly isExcused?: (html: string) => boolean; readonly colorsOnly?: boolean } = {},
): Promise<string[]> {
  // A page that was looked at before has it, which is as much work as a look.
  if (!(await page.evaluate('"axe" in window'))) {
    const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
    await page.evaluate(await readFile(axe, 'utf8'));
  }
  const options = { resultTypes: ['violations'], ...(colorsOnly && { runOnly: COLOR_RULES }) };
  const violations = (await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )) as Violation[];
  return violations
    .map(({ id, impact, nodes }) => ({
      id,
      impact,
      elements: nodes.map(({ html }) => html).filter((html) => !isExcused(html)),
    }))
    .filter(({ impact, elements }) => /^(serious|critical)$/.test(impact) && elements.length > 0)
    .map(({ id, elements }) => `${id}: ${elements.join(' | ')}`);
}
