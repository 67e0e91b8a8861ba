import type { Page } from '../../../packages/test-support/src/browser.ts';
import { spread } from '../statistics.ts';
import type { Operation } from './operations.ts';
import { isTitleOf, type Navigation, pageOf } from './own-site.ts';
import { until } from './until.ts';

// A search is a combobox with options (WAI-ARIA Authoring Practices), which Ctrl-K opens: ours and Scalar's are.

/** How long the search may take to open, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** Between two keys, in milliseconds: someone who types quickly. */
const KEY_MS = 120;

/** How long the results of a key are waited for, in milliseconds: some keys change none. */
const REACTION_MS = 3_000;

export interface SearchTimes {
  /** From the first key to the first results that are painted, in milliseconds. */
  readonly firstMs: number;
  /** The same of the keys after it: the median. */
  readonly laterMs: number | undefined;
}

/** Each key and, after it, the frame in which the list of results has changed. */
const WATCH = `(() => {
  const times = [];
  let pressedAt;
  addEventListener('keydown', ({ key, timeStamp }) => { if (key.length === 1) pressedAt ??= timeStamp; }, true);
  new MutationObserver(() => {
    if (pressedAt === undefined || !document.querySelector('[role=option]')) return;
    const at = pressedAt;
    pressedAt = undefined;
    requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - at)));
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
  window.searchTimes = times;
})()`;

/** Opens the search and types a word of the summary. undefined where a page has no such search. */
export async function timeSearch(
  page: Page,
  { summary }: Operation,
): Promise<SearchTimes | undefined> {
  if (!(await openSearch(page))) return undefined;
  await page.evaluate(WATCH);
  const word = /[A-Za-z]{3,5}/.exec(summary)?.[0] ?? summary.slice(0, 4);
  for (const key of word) {
    const before = (await page.evaluate('searchTimes.length')) as number;
    await page.keyboard.press(key);
    const isShown = await until(page, `searchTimes.length > ${before}`, REACTION_MS);
    // Where even the first key shows nothing, no other is worth the wait.
    if (!isShown && before === 0) return undefined;
    await page.waitForTimeout(KEY_MS);
  }
  const [firstMs, ...later] = (await page.evaluate('searchTimes')) as number[];
  if (firstMs === undefined) return undefined;
  return { firstMs, laterMs: later.length > 0 ? spread(later).median : undefined };
}

async function openSearch(page: Page): Promise<boolean> {
  await page.keyboard.press('Control+k');
  return until(page, "document.activeElement?.matches('input')", TIMEOUT_MS);
}

/** Puts a text into the search of our own pages, and gives the first result once they are there. */
const LOOK_UP = `(text) => new Promise((resolve) => {
  const input = document.querySelector('dialog [role=combobox]');
  const list = document.querySelector('dialog [role=listbox]');
  const done = () => {
    observer.disconnect();
    clearTimeout(timer);
    const first = list.querySelector('[role=option]');
    resolve(first && {
      path: new URL(first.href).pathname,
      title: first.querySelector('.search-title b').textContent,
    });
  };
  const observer = new MutationObserver(done);
  observer.observe(list, { childList: true });
  const timer = setTimeout(done, ${REACTION_MS});
  input.value = text;
  input.dispatchEvent(new Event('input', { bubbles: true }));
})`;

export interface Recall {
  readonly asked: number;
  /** How often the first result is the very operation. Earlier results lack it. */
  readonly itself?: number;
  /** How often it is an operation with that summary: the very one, or one that shares it. Only one of them can be first. */
  readonly first: number;
  /** Some of the summaries that found something else first. */
  readonly missed: readonly string[];
}

/** Looks operations up by their summaries in the search of a page of ours. undefined where it does not open. */
export async function measureRecall(
  page: Page,
  operations: readonly Operation[],
  navigation: Navigation,
): Promise<Recall | undefined> {
  if (!(await openSearch(page))) return undefined;
  const pages = new Set(navigation.tags.flatMap((tag) => tag.operations.map(([, , path]) => path)));
  const missed: string[] = [];
  let itself = 0;
  for (const operation of operations) {
    const { summary } = operation;
    const first = (await page.evaluate(`(${LOOK_UP})(${JSON.stringify(summary)})`)) as {
      readonly path: string;
      readonly title: string;
    } | null;
    if (first?.path === pageOf(navigation, operation)) itself += 1;
    else if (!first || !pages.has(first.path) || !isTitleOf(first.title, summary)) {
      missed.push(summary);
    }
  }
  const asked = operations.length;
  return { asked, itself, first: asked - missed.length, missed: missed.slice(0, 5) };
}
