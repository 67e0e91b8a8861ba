import { addressOf, button, find } from './dom.ts';
import { keepGroups, openCurrentGroups, startGroups } from './guide-groups.ts';
import {
  type ListedOperation,
  linkTo,
  operationList,
  operationsIn,
  storeOpenTags,
} from './open-tags.ts';

// The list of a site's pages. A page comes with the operations of its own tag; those of others are fetched when the
// reader opens them, so that the weight of a page does not grow with the document.

const TAG = '.nav-tags > li';

/** Gives tags their switches, shows where the reader is, and remembers what is open. */
export function startSidebar(): void {
  const list = find('.docs-nav');
  if (!list) return;
  addSwitches(list);
  showCurrent(list);
  list.addEventListener('click', ({ target }) => {
    const toggle = target instanceof Element && target.closest('.nav-toggle');
    if (toggle) switchTag(toggle);
  });
  startGroups(list);
  addEventListener('pagehide', () => storeOpenTags(list));
  renewKept(list);
}

function addSwitches(list: Element): void {
  for (const item of list.querySelectorAll('.nav-tag')) {
    if (find(':scope > .nav-toggle', item)) continue;
    const link = find(':scope > a', item);
    const toggle = button('nav-toggle', '', `Operations of ${link?.textContent}`);
    toggle.setAttribute('aria-expanded', String(find(':scope > ul', item) !== null));
    link?.after(toggle);
  }
}

async function switchTag(toggle: Element): Promise<void> {
  const item = toggle.closest('li');
  if (!item || toggle.ariaBusy) return;
  let operations = find(':scope > ul', item);
  if (!operations) {
    toggle.ariaBusy = 'true';
    operations = await fetchOperations(find(':scope > a', item)?.getAttribute('href') ?? '');
    toggle.ariaBusy = null;
    // A page that came meanwhile may have brought them.
    if (!operations || find(':scope > ul', item)) return;
    operations.hidden = true;
    item.append(operations);
  }
  showOperations(item, operations, operations.hasAttribute('hidden'));
}

function showOperations(item: Element, operations: HTMLElement, isShown: boolean): void {
  operations.hidden = !isShown;
  find(':scope > .nav-toggle', item)?.setAttribute('aria-expanded', String(isShown));
}

interface Navigation {
  readonly tags: readonly {
    readonly path: string;
    readonly operations: readonly ListedOperation[];
  }[];
}

/** The list has paths of the site, and the links of a page have addresses. */
const addressed = ({ path, operations }: Navigation['tags'][number]) => ({
  path: addressOf(path),
  operations: operations.map(
    ([method, title, page, isDeprecated]): ListedOperation => [
      ...([method, title, addressOf(page), isDeprecated] as const),
    ],
  ),
});

const navigations = new Map<string, Promise<Navigation>>();

/** The operations of the API that the list is of, fetched once; again after a failure. */
function fetchNavigation(): Promise<Navigation> {
  const path = find('.nav-apis')?.dataset.navigation ?? '/_site/navigation.json';
  const known = navigations.get(path);
  if (known) return known;
  const fetched = fetch(addressOf(path))
    .then((response) => {
      if (!response.ok) throw new Error(`The navigation was answered with ${response.status}.`);
      return response.json();
    })
    .then(({ tags }: Navigation) => ({ tags: tags.map(addressed) }))
    .catch((error) => {
      navigations.delete(path);
      throw error;
    });
  navigations.set(path, fetched);
  return fetched;
}

/** The operations of a tag; the tag's own page, where they cannot be had. */
async function fetchOperations(path: string): Promise<HTMLElement | null> {
  const { tags } = await fetchNavigation().catch(() => ({ tags: [] }));
  const tag = tags.find((one) => one.path === path);
  if (!tag) {
    location.assign(path);
    return null;
  }
  return operationList(tag.operations);
}

/** Replaces the lists that are from an earlier deploy. */
async function renewKept(list: Element): Promise<void> {
  if (!find('[data-kept]', list)) return;
  const { tags } = await fetchNavigation().catch(() => ({ tags: [] }));
  for (const { path, operations } of tags) {
    const kept = linkTo(path, list, '.nav-tag > a')?.parentElement?.querySelector('[data-kept]');
    if (!kept) continue;
    const isSame = JSON.stringify(operationsIn(kept)) === JSON.stringify(operations);
    if (isSame) continue;
    const renewed = operationList(operations);
    renewed.hidden = kept.hasAttribute('hidden');
    kept.replaceWith(renewed);
  }
}

/** Takes over what the list of another page has and this one has not, and marks that page's entry. */
export function updateSidebar(page: Document): void {
  const list = find('.docs-nav');
  const next = find('.docs-nav', page);
  if (!list || !next) return;
  if (outline(list) === outline(next)) {
    for (const link of list.querySelectorAll(CURRENT)) link.removeAttribute('aria-current');
    for (const item of next.querySelectorAll(TAG)) openTag(list, item);
    for (const link of next.querySelectorAll(CURRENT)) {
      const value = link.getAttribute('aria-current') ?? 'page';
      linkLike(link, list, NOT_API)?.setAttribute('aria-current', value);
    }
    find('.nav-apis', list)?.removeAttribute('open');
    openCurrentGroups(list);
  } else {
    const restore = keepGroups(list);
    list.replaceChildren(...[...next.childNodes].map((node) => document.importNode(node, true)));
    restore();
  }
  addSwitches(list);
  showCurrent(list);
}

/** The list of the site's APIs, of which one is marked, is the same on all pages of that one. */
const NOT_API = 'a:not(.nav-apis a)';
const CURRENT = `${NOT_API}[aria-current]`;

/** What the lists of all pages of a part have in common. */
const outline = (list: Element) =>
  [...list.querySelectorAll('a:not(.nav-tags ul a)')]
    .map((link) => link.getAttribute('href'))
    .join('\n');

function linkLike(link: Element, within: Element, selector = 'a'): HTMLElement | null {
  return linkTo(link.getAttribute('href') ?? '', within, selector);
}

/** Opens a tag as another page has it. */
function openTag(list: Element, other: Element): void {
  const operations = find(':scope > ul', other);
  const link = find(':scope > a', other);
  const item = link && linkLike(link, list, `${TAG} > a`)?.parentElement;
  if (!operations || !item) return;
  const own = find(':scope > ul', item);
  const current = find('[aria-current]', operations);
  // Of the models, a page has its own alone.
  if (own && (!current || linkLike(current, own))) {
    showOperations(item, own, true);
    return;
  }
  const taken = document.importNode(operations, true);
  if (own) own.replaceWith(taken);
  else item.append(taken);
  showOperations(item, taken, true);
}

/** How much of the list is around the entry at least, in pixels. */
const MARGIN = 48;

function showCurrent(list: Element): void {
  const entry = [...list.querySelectorAll('[aria-current=page]')].at(-1)?.getBoundingClientRect();
  const { top, bottom, height } = list.getBoundingClientRect();
  if (entry && (entry.top < top + MARGIN || entry.bottom > bottom - MARGIN)) {
    list.scrollTop += entry.top - top - height / 2;
  }
}
