// The search: a dialog with a combobox (WAI-ARIA Authoring Practices, "Combobox"). It is loaded when it is first used.

import { type SearchResults, search } from '../src/search/search.ts';
import { element } from './panel/dom.ts';
import { tellSearch } from './readers.ts';
import { loadIndex } from './search/index-in-browser.ts';
import { markedTerms } from './search/marks.ts';
import { resultRow } from './search/result-row.ts';

const MAX_RESULTS = 20;

/** How far Page Up and Page Down go. */
const PAGE = 5;

const HINT = 'Type to search pages, operations, parameters and models.';

const input = element('input', {
  class: 'search-input',
  type: 'text',
  role: 'combobox',
  'aria-label': 'Search the documentation',
  'aria-expanded': 'false',
  'aria-controls': 'layout-results',
  'aria-autocomplete': 'list',
  placeholder: 'Search the documentation',
  autocomplete: 'off',
  autocapitalize: 'off',
  spellcheck: 'false',
  enterkeyhint: 'go',
  maxlength: 200,
  oninput: () => {
    shown = showResults();
  },
  onkeydown: (event) => pressed(event as KeyboardEvent),
});
const list = element('div', {
  id: 'layout-results',
  class: 'search-results',
  role: 'listbox',
  'aria-label': 'Results',
  onmousemove: pointed,
  onclick: (event) => followed(event as MouseEvent),
});
const status = element('p', { class: 'search-status', role: 'status' });
const close = element(
  'button',
  { type: 'button', class: 'search-close', onclick: () => dialog.close() },
  'Close',
);
const key = (name: string) => element('kbd', {}, name);
const dialog = element(
  'dialog',
  // A click hits the dialog itself only beside its content.
  {
    class: 'search-dialog',
    'aria-label': 'Search',
    onclose: searched,
    onclick: ({ target }) => target === dialog && dialog.close(),
  },
  element('div', { class: 'search-head' }, input, close),
  list,
  status,
  element(
    'p',
    { class: 'search-keys', 'aria-hidden': 'true' },
    ...[key('↑'), key('↓'), ' to move ', key('↵'), ' to open ', key('Esc'), ' to close'],
  ),
);

let options: readonly HTMLAnchorElement[] = [];
let active = -1;

/** Fetches the beginning of the index ahead. */
export function prepare(): void {
  loadIndex().catch(() => {});
}

/** Opens the dialog. The last query is still there, selected, unless something was typed meanwhile. */
export function open(typed = ''): void {
  if (dialog.open) return;
  // A page that was swapped for another took the dialog with it.
  if (!dialog.isConnected) document.body.append(dialog);
  prepare();
  dialog.showModal();
  input.focus();
  input.select();
  if (typed !== '') {
    input.value = typed;
    shown = showResults();
  } else if (input.value === '') status.textContent = HINT;
}

/** Files may load late: only the results of the latest search are shown. */
let latest = 0;

/** Resolves when the results are those of what is typed. */
let shown: Promise<void> = Promise.resolve();

async function showResults(): Promise<void> {
  clearTimeout(pause);
  untold = undefined;
  latest += 1;
  const mine = latest;
  const query = input.value.trim();
  const found = query === '' ? undefined : await find(query);
  if (mine !== latest) return;
  const terms = markedTerms(found?.terms ?? []);
  options = (found?.rows ?? []).map((row, at) => resultRow(row, `layout-result-${at}`, terms));
  list.replaceChildren(...options);
  input.setAttribute('aria-expanded', String(options.length > 0));
  activate(options.length > 0 ? 0 : -1);
  status.textContent = query === '' ? HINT : statusOf(query, found);
  // After all changes, since it has the browser lay the list out.
  list.scrollTop = 0;
  if (found) noteSearch(query, found);
}

/** How long a reader types nothing whose search is over, in milliseconds. */
const TYPED_AFTER = 2_000;

/** The search that is shown and was not told, and the last one that was. */
let untold: (() => void) | undefined;
let told = '';
let pause: ReturnType<typeof setTimeout> | undefined;

/** Tells a search once: when its reader stops typing, follows a result or closes the dialog. */
function noteSearch(query: string, { total, isWhole }: SearchResults): void {
  untold = () => {
    untold = undefined;
    if (query === told) return;
    told = query;
    const some = isWhole ? 'all' : 'some';
    tellSearch(query, total === 0 ? 'nothing' : some);
  };
  pause = setTimeout(searched, TYPED_AFTER);
}

function searched(): void {
  clearTimeout(pause);
  untold?.();
}

/** undefined where the index cannot be loaded. */
async function find(query: string): Promise<SearchResults | undefined> {
  try {
    return await search(await loadIndex(), query, MAX_RESULTS);
  } catch {
    return undefined;
  }
}

function statusOf(query: string, found: SearchResults | undefined): string {
  if (found === undefined) {
    return 'The search cannot be loaded. Look at your connection, and type again.';
  }
  const { rows, total, isWhole } = found;
  if (total === 0) return `Nothing found for “${query}”.`;
  const count = total === 1 ? '1 result' : `${total} results`;
  const shown = total > rows.length ? `The best ${rows.length} of ${count}` : count;
  return isWhole ? shown : `Nothing has all of these words. ${shown} with some of them`;
}

/** Makes an option the active one, wherever it is in the list. */
function activate(at: number): void {
  active = at;
  for (const [index, option] of options.entries()) {
    option.setAttribute('aria-selected', String(index === at));
  }
  const option = options[at];
  if (option === undefined) input.removeAttribute('aria-activedescendant');
  else input.setAttribute('aria-activedescendant', option.id);
}

function pressed(event: KeyboardEvent): void {
  // The key belongs to an input method, such as one for Japanese.
  if (event.isComposing) return;
  const last = options.length - 1;
  const moves = new Map([
    ['ArrowDown', active >= last ? 0 : active + 1],
    ['ArrowUp', active <= 0 ? last : active - 1],
    ['PageDown', Math.min(last, active + PAGE)],
    ['PageUp', Math.max(0, active - PAGE)],
  ]);
  const to = moves.get(event.key);
  if (to !== undefined && last >= 0) {
    event.preventDefault();
    activate(to);
    options[to]?.scrollIntoView({ block: 'nearest' });
  } else if (event.key === 'Enter') {
    event.preventDefault();
    follow();
  }
}

/** Who types faster than results come means what was typed last. */
async function follow(): Promise<void> {
  await shown;
  if (dialog.open) options[active]?.click();
}

function pointed({ target }: Event): void {
  const option = target instanceof Element ? target.closest('a') : null;
  const at = option === null ? -1 : options.indexOf(option);
  if (at !== -1 && at !== active) activate(at);
}

/** A click that opens another tab leaves the dialog open. */
function followed({ target, ctrlKey, metaKey, shiftKey }: MouseEvent): void {
  const isResult = target instanceof Element && target.closest('a') !== null;
  if (isResult && !ctrlKey && !metaKey && !shiftKey) dialog.close();
}
