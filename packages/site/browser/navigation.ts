import { find, linkOf, pageOf, root } from './dom.ts';
import { fetchPage, isPageLink } from './pages.ts';
import { claimEntry, keepScroll, markEntry, scrollToKept } from './scroll-positions.ts';
import { updateSidebar } from './sidebar.ts';
import { openTarget } from './target.ts';

// Instant navigation: pages are fetched ahead when the reader is about to open them, and swapped without a reload.
// Whatever fails is left to the browser, which loads the page as it would without a script.

/** How long the pointer rests on a link before its page is fetched, in milliseconds. */
const REST = 60;

/** A page that takes longer shows that it is on its way, in milliseconds. */
const SLOW = 150;

/** The page that is shown. */
let shown = pageOf(location);

/** Begins to swap pages. `startPage` is called for each that is swapped in. */
export function startNavigation(startPage: () => void): void {
  fetchAhead();
  keepScroll();
  announcer();
  document.addEventListener('click', (event) => {
    const link = linkOf(event);
    if (!link || !isPlainClick(event) || !isPageLink(link)) return;
    const url = new URL(link.href);
    markEntry();
    // Within the page, the browser knows the way. It tells nobody where the address stays the same.
    if (pageOf(url) === shown && url.hash !== '') {
      openTarget(url.hash);
      return;
    }
    event.preventDefault();
    visit(url, startPage);
  });
  addEventListener('popstate', ({ state }) => {
    // An entry without a state is new: the browser has scrolled to its fragment already.
    if (state !== null) markEntry();
    if (pageOf(location) !== shown) revisit(startPage);
    else scrollToKept();
  });
}

function isPlainClick(event: MouseEvent): boolean {
  const { button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
  return button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey && !defaultPrevented;
}

interface Connection {
  readonly saveData?: boolean;
  readonly effectiveType?: string;
}

function fetchAhead(): void {
  const { connection } = navigator as { connection?: Connection };
  if (connection?.saveData || connection?.effectiveType?.endsWith('2g')) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ahead = (event: Event, wait: number) => {
    clearTimeout(timer);
    const link = linkOf(event);
    if (!link || !isPageLink(link)) return;
    const url = new URL(link.href);
    if (pageOf(url) !== shown) timer = setTimeout(() => fetchPage(url, 'low'), wait);
  };
  const options = { passive: true };
  document.addEventListener('pointerover', (event) => ahead(event, REST), options);
  document.addEventListener('touchstart', (event) => ahead(event, 0), options);
  document.addEventListener('focusin', (event) => ahead(event, REST), options);
}

/** The reader may choose another page before one has come: the last choice counts. */
let latest = 0;

async function arrival(url: URL) {
  latest += 1;
  const mine = latest;
  const timer = setTimeout(() => root.classList.add('page-loading'), SLOW);
  const found = await fetchPage(url, 'high');
  clearTimeout(timer);
  if (mine !== latest) return 'outdated';
  root.classList.remove('page-loading');
  return found;
}

/** Goes to a page by a link. */
async function visit(url: URL, startPage: () => void): Promise<void> {
  const found = await arrival(url);
  if (found === 'outdated') return;
  if (!found) {
    location.assign(url);
    return;
  }
  markEntry();
  const address = pageOf(found.url);
  if (address === shown) history.replaceState(history.state, '', address);
  else history.pushState(null, '', address);
  claimEntry();
  show(found.page, startPage);
  scrollTo({ top: 0, behavior: 'instant' });
  // Only a navigation makes an element the target of styles, and moves where Tab goes on.
  if (url.hash !== '') location.replace(url.hash);
}

/** Goes back or forward, to where the browser's address is already. */
async function revisit(startPage: () => void): Promise<void> {
  const wanted = pageOf(location);
  const found = await arrival(new URL(location.href));
  if (found === 'outdated' || wanted !== pageOf(location)) return;
  if (!found) {
    location.reload();
    return;
  }
  show(found.page, startPage);
  scrollToKept();
}

/** What a page's head says of the page itself; scripts and styles are the same on all pages. */
const OF_PAGE =
  'meta[name=description], meta[name=robots], meta[property], meta[name^=twitter], link[rel=canonical], link[rel=alternate]';

function show(page: Document, startPage: () => void): void {
  shown = pageOf(location);
  // The search or the panel, of which the reader went back.
  for (const dialog of document.querySelectorAll('dialog')) dialog.close();
  document.title = page.title;
  root.lang = page.documentElement.lang;
  root.dir = page.documentElement.dir;
  for (const element of document.head.querySelectorAll(OF_PAGE)) element.remove();
  document.head.append(...imported([...page.head.querySelectorAll(OF_PAGE)]));
  for (const selector of [
    // Not the bar itself, which the reader may have hidden.
    '.site-preview div',
    '.site-version-note',
    '.site-versions',
    '.site-links',
    '.site-tabs',
    '.docs-body',
  ]) {
    const next = find(selector, page);
    if (next) find(selector)?.replaceWith(...imported([next]));
  }
  // Before anything is measured, so that the page is laid out once.
  startPage();
  updateSidebar(page);
  announcer().textContent = page.title;
  find('#layout-content')?.focus({ preventScroll: true });
}

/** Copies, since the page may be shown again. */
const imported = (elements: readonly Element[]) =>
  elements.map((element) => document.importNode(element, true));

let announced: HTMLElement | undefined;

/** Tells those who hear the page which one has come. */
function announcer(): HTMLElement {
  if (!announced) {
    announced = document.createElement('p');
    announced.className = 'site-announcer';
    announced.ariaLive = 'polite';
    document.body.append(announced);
  }
  return announced;
}
