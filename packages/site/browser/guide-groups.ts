import { find } from './dom.ts';
import { linkTo } from './open-tags.ts';
import { fetchPage } from './pages.ts';

// The groups of guides in the list of pages. On a large site, a page comes with the groups around it; of another group
// it has the first page alone, and the others are taken from that page's own list once the reader opens the group.

/** Fetches what a group has when the reader opens it. */
export function startGroups(list: Element): void {
  const fill = ({ target }: Event) => {
    if (target instanceof HTMLDetailsElement && target.open && target.dataset.more)
      fetchGroup(target);
  };
  // It does not bubble.
  list.addEventListener('toggle', fill, { capture: true });
}

async function fetchGroup(group: HTMLDetailsElement): Promise<void> {
  const path = group.dataset.more ?? '';
  if (group.ariaBusy) return;
  group.ariaBusy = 'true';
  const found = await fetchPage(new URL(path, location.href), 'high');
  group.ariaBusy = null;
  const entries = found && entriesAround(path, found.page, titleOf(group));
  // Without them, the group still has its first page.
  if (!entries) return;
  delete group.dataset.more;
  const hadFocus = group.contains(document.activeElement);
  find(':scope > ul', group)?.replaceWith(document.importNode(entries, true));
  unmark(group);
  if (hadFocus) find('summary', group)?.focus();
}

/** The entries of the group in another page's list that has this title, around the page itself. */
function entriesAround(path: string, page: Document, title: string): HTMLElement | null {
  const list = find('.docs-nav', page);
  const link = list && linkTo(path, list, '.nav-group a');
  let group = link?.closest('.nav-group');
  while (group && titleOf(find(':scope > details', group)) !== title)
    group = group.parentElement?.closest('.nav-group');
  return group ? find(':scope > details > ul', group) : null;
}

/** The title of a group: its heading, or the link that stands before its switch. */
const titleOf = (details: Element | null): string =>
  find(':scope > summary', details ?? document)?.textContent ||
  details?.previousElementSibling?.textContent ||
  '';

/** Opens the groups around the entry of the page that is shown. */
export function openCurrentGroups(list: Element): void {
  const current = find('.nav-group a[aria-current=page]', list);
  let group = current?.closest('.nav-group') ?? null;
  while (group) {
    find(':scope > details', group)?.setAttribute('open', '');
    group = group.parentElement?.closest('.nav-group') ?? null;
  }
}

/** Remembers which groups are open and where the list is; returns what puts both back into another page's list. */
export function keepGroups(list: HTMLElement): () => void {
  const { scrollTop } = list;
  const tab = currentTab(list);
  const open = [...list.querySelectorAll('.nav-group > details')].map((details) => ({
    details: details as HTMLDetailsElement,
    key: keyOf(details),
  }));
  return () => {
    const known = new Map(open.map(({ key, details }) => [key, details]));
    const groups = [...list.querySelectorAll<HTMLDetailsElement>('.nav-group > details')];
    const isSame = currentTab(list) === tab && groups.some((details) => known.has(keyOf(details)));
    list.scrollTop = isSame ? scrollTop : 0;
    for (const details of isSame ? groups : []) {
      const before = known.get(keyOf(details));
      const isCurrent = find('[aria-current=page]', details.parentElement ?? list) !== null;
      if (!before || isCurrent) continue;
      // What was fetched is not fetched again.
      if (details.dataset.more && !before.dataset.more) {
        details.replaceWith(before);
        unmark(before);
      } else details.open = before.open;
    }
  };
}

function unmark(group: Element): void {
  for (const link of group.querySelectorAll('[aria-current]')) link.removeAttribute('aria-current');
}

const currentTab = (list: Element) => find('.docs-nav-tabs [aria-current]', list)?.textContent;

/** Of a group, by the titles around it. */
function keyOf(details: Element): string {
  const titles = [];
  for (let at: Element | null | undefined = details; at; at = at.parentElement?.closest('details'))
    titles.push(titleOf(at));
  return titles.join('\n');
}
