import { find } from './dom.ts';

// Which tags of the list are open, from one load of a page to the next. The script in the head puts them back while the
// list arrives, so that nothing moves that is seen already.

export type ListedOperation = readonly [
  method: string,
  title: string,
  path: string,
  isDeprecated: 0 | 1,
];

interface OpenTag {
  /** The address of the tag's page, as its link has it. */
  readonly path: string;
  readonly operations: readonly ListedOperation[];
}

const STORED = 'openTags';

/** In all tags together. One has some hundred bytes, and a site has some megabytes of this storage. */
const MAX_OPERATIONS = 3_000;

/** Remembers the open tags of a list, the first of them where they are too many. */
export function storeOpenTags(list: Element): void {
  // A guide's list has none, and the reader may come back from there.
  if (!find('.nav-tag', list)) return;
  let left = MAX_OPERATIONS;
  const tags = [...list.querySelectorAll('.nav-tag')].flatMap((item): OpenTag[] => {
    const path = find(':scope > a', item)?.getAttribute('href');
    const operations = find(':scope > ul:not([hidden])', item);
    // A list that a page has cut leads to the tag's own page, which has all.
    if (!path || !operations || linkTo(path, operations)) return [];
    left -= operations.children.length;
    return left < 0 ? [] : [{ path, operations: operationsIn(operations) }];
  });
  try {
    sessionStorage.setItem(STORED, JSON.stringify(tags));
  } catch {
    // Storage can be forbidden, or full; then tags are open until the next load.
  }
}

/** Opens the remembered tags as the list arrives. The page itself brings the tag that it belongs to. */
export function restoreOpenTags(): void {
  let waiting = storedTags();
  if (waiting.length === 0) return;
  // What an observer adds is there before anything is drawn.
  const observer = new MutationObserver(() => {
    waiting = waiting.filter((tag) => !restore(tag));
    if (waiting.length === 0) observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
  document.addEventListener('DOMContentLoaded', () => observer.disconnect());
}

function storedTags(): readonly OpenTag[] {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? '[]');
  } catch {
    return [];
  }
}

/** Whether the tag's entry has come, so that there is nothing left to do. */
function restore({ path, operations }: OpenTag): boolean {
  const link = linkTo(path, document, '.nav-tag > a') as HTMLAnchorElement | null;
  if (!link) return false;
  const isOfPage = `${location.pathname}/`.startsWith(`${link.pathname}/`);
  if (!isOfPage) link.parentElement?.append(operationList(operations, true));
  return true;
}

export function linkTo(path: string, within: ParentNode, selector = 'a'): HTMLElement | null {
  return find(`${selector}[href="${CSS.escape(path)}"]`, within);
}

/** The operations below a tag. `isKept`: they are from the page before, and so may be those of an earlier deploy. */
export function operationList(
  operations: readonly ListedOperation[],
  isKept = false,
): HTMLUListElement {
  const list = document.createElement('ul');
  if (isKept) list.dataset.kept = '';
  list.append(...operations.map(operationItem));
  return list;
}

/** What `operationList` was made of. */
export const operationsIn = (list: Element): ListedOperation[] =>
  [...list.querySelectorAll('a')].map((link) => {
    const [method, title] = [...link.children].map(({ textContent }) => textContent ?? '');
    const isDeprecated = link.classList.contains('deprecated') ? 1 : 0;
    return [method ?? '', title ?? '', link.getAttribute('href') ?? '', isDeprecated];
  });

function operationItem([method, title, path, isDeprecated]: ListedOperation): HTMLElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = path;
  if (isDeprecated) link.className = 'deprecated';
  const badge = document.createElement('span');
  badge.className = `method method-${method.toLowerCase()}`;
  badge.textContent = method;
  const text = document.createElement('span');
  text.textContent = title;
  link.append(badge, text);
  item.append(link);
  return item;
}
