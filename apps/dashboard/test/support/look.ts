import assert from 'node:assert/strict';
import { type Page, seriousViolations } from '@petstore/test-support/browser.ts';
import { type Installation, PASSWORD, screenshot } from './installation.ts';

// What a page must be for all who use it: in either theme, narrow and wide.

export const VIEWS = [
  { name: 'light-1280', colorScheme: 'light', width: 1280 },
  { name: 'dark-1280', colorScheme: 'dark', width: 1280 },
  { name: 'light-360', colorScheme: 'light', width: 360 },
  { name: 'dark-360', colorScheme: 'dark', width: 360 },
] as const;

export interface Place {
  /** Of its pictures. */
  readonly name: string;
  readonly path: string;
  /** What stands there when it is whole. */
  readonly text: string | RegExp;
  /** Opens what is in front of it. */
  readonly open?: (page: Page) => Promise<void>;
}

/** Looks at a place in every view, or in some where many places are much alike. */
export async function look(
  page: Page,
  { origin }: Installation,
  { name, path, text, open }: Place,
  views: readonly (typeof VIEWS)[number][] = VIEWS,
): Promise<void> {
  await page.goto(`${origin}${path}`);
  const seen = page.getByText(text).filter({ visible: true }).first();
  await seen.waitFor();
  assert.equal(page.url(), `${origin}${path}`, 'the address stays');
  assert.match(await page.title(), /^.+ · Dashboard$/, path);
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, path);
  await open?.(page);
  for (const view of views) {
    await page.emulateMedia({ colorScheme: view.colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width: view.width, height: view.width === 360 ? 740 : 860 });
    // What floats takes its new place a moment later.
    const fits = page.waitForFunction(
      'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
    );
    await assert.doesNotReject(fits, `${path} is scrolled sideways (${view.name})`);
    await screenshot(page, `${name}-${view.name}`);
    assert.deepEqual(await seriousViolations(page), [], `${path} (${view.name})`);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
}

/** A page to look at, of someone who is signed in or of nobody: axe is brought in from outside, which the pages' policy forbids. */
export async function openPage({ browser, origin }: Installation, email?: string): Promise<Page> {
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  if (email !== undefined) {
    await page.request.post(`${origin}/api/session`, {
      headers: { origin },
      data: { email, password: PASSWORD },
    });
  }
  return page;
}
