import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { ROOT } from './root.ts';

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

export interface BrowserOptions {
  /** More switches for its command line. */
  readonly args?: readonly string[];
  /** Its home folder, in which it finds the roots that it trusts besides its own. */
  readonly home?: string;
}

/** Starts a browser out of an npm package, so that a machine needs none. Whoever starts it closes it. */
export async function launchBrowser({ args = [], home }: BrowserOptions = {}): Promise<Browser> {
  unpackOnce();
  const { default: sparticuz } = await import('@sparticuz/chromium');
  const { chromium } = await import('playwright-core');
  // No page here has WebGL. Where it is, a graphics card is emulated to draw everything.
  sparticuz.setGraphicsMode = false;
  const options = {
    executablePath: join(UNPACKED, 'chromium'),
    args: [
      ...sparticuz.args.filter((arg) => !UNWANTED.includes(arg)),
      '--disable-gpu',
      '--disable-background-networking',
      '--no-first-run',
      ...args,
    ],
    ...(home !== undefined && { env: { ...process.env, HOME: home } }),
  };
  // Chromium itself sometimes breaks at its start (SIGSEGV), and all tests of its process would fail.
  return chromium.launch(options).catch(() => chromium.launch(options));
}

/** The folder appears whole or not at all: files of tests that run at the same time find no half of a browser. */
function unpackOnce(): void {
  if (existsSync(UNPACKED)) return;
  const unfinished = `${UNPACKED}-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    const env = { ...process.env, TMPDIR: unfinished };
    execFileSync(process.execPath, ['-e', UNPACK], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (!existsSync(UNPACKED)) renameSync(unfinished, UNPACKED);
  } catch (error) {
    // Another was faster, and has unpacked the same.
    if (!existsSync(UNPACKED)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
