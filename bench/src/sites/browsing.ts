import { readFileSync } from 'node:fs';
import type { Browser, Page } from '../../../packages/test-support/src/browser.ts';
import type { Operation, Step } from './operations.ts';
import { until } from './until.ts';

const PROBE = readFileSync(new URL('probe.js', import.meta.url), 'utf8');

/** What a page may take, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** How long a page is watched once it is loaded and readable, in milliseconds. */
const WATCHED_MS = 5_000;

/** How long the pointer rests on a link before it is pressed, in milliseconds. */
const REST_MS = 150;

/** A long task is one that takes longer (https://w3c.github.io/longtasks/). What is over counts as blocking. */
const LONG_TASK_MS = 50;

/** What a reader with an empty cache gets. */
interface Visit {
  /** Transferred with heads, as it came over the wire, in kB of 1,000 bytes. */
  readonly kB: number;
  readonly scriptsKB: number;
  readonly requests: number;
  /** Milliseconds since the navigation. */
  readonly firstPaintMs: number | undefined;
  /** undefined where the operation never came into view. */
  readonly readableMs: number | undefined;
  readonly blockedMs: number;
  readonly shift: number;
}

export interface Opened {
  readonly page: Page;
  readonly visit: Visit;
  close(): Promise<void>;
}

/** Opens a page with an empty cache, and watches until it is at rest. */
export async function open(browser: Browser, url: string, operation: Operation): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const traffic = await watchTraffic(page);
  await page.addInitScript({ content: `${PROBE}\n${expecting(operation)}` });
  await page.goto(url, { waitUntil: 'load', timeout: TIMEOUT_MS });
  const readableMs = await readableAt(page);
  await page.waitForTimeout(WATCHED_MS);
  const seen = (await page.evaluate(`({
    firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    shift: bench.shift,
    longTasks: bench.longTasks,
  })`)) as { firstPaintMs?: number; shift: number; longTasks: [number, number][] };
  const blockedMs = seen.longTasks.reduce((sum, [, took]) => sum + took - LONG_TASK_MS, 0);
  const visit: Visit = {
    ...traffic(),
    ...{ firstPaintMs: seen.firstPaintMs, blockedMs, shift: seen.shift },
    // It is looked for before a frame is painted.
    readableMs: readableMs && Math.max(readableMs, seen.firstPaintMs ?? 0),
  };
  return { page, visit, close: () => context.close() };
}

/** Clicks the link to the next operation. Gives the time until that can be read; undefined where there is no way. */
export async function clickNext(
  page: Page,
  { to }: Step,
  address: string,
): Promise<number | undefined> {
  // Links within a page are written without its path.
  const href = JSON.stringify(address.replace(/^\/#/, '#'));
  const link = page.locator(`a[href=${href}]:visible`).first();
  try {
    await link.hover({ timeout: 10_000 });
  } catch {
    return undefined;
  }
  await page.waitForTimeout(REST_MS);
  await page.evaluate(expecting(to));
  await page.mouse.down();
  await page.mouse.up();
  const readable = await readableAt(page, 10_000);
  const clicked = (await page.evaluate('bench.clickedAt')) as number | undefined;
  return readable === undefined || clicked === undefined ? undefined : readable - clicked;
}

function expecting({ summary, parameter }: Operation): string {
  return `bench.expect(${JSON.stringify({ summary: summary.replace(/\s+/g, ' '), parameter })})`;
}

async function readableAt(page: Page, timeoutMs = TIMEOUT_MS): Promise<number | undefined> {
  await until(page, 'bench.readableAt', timeoutMs);
  return (await page.evaluate('bench.readableAt')) as number | undefined;
}

/** Counts what comes over the wire from now on. */
async function watchTraffic(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const types = new Map<string, string>();
  let [bytes, scriptBytes, requests] = [0, 0, 0];
  session.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    requests += 1;
    bytes += encodedDataLength;
    if (types.get(requestId) === 'Script') scriptBytes += encodedDataLength;
  });
  return () => ({ kB: bytes / 1_000, scriptsKB: scriptBytes / 1_000, requests });
}
