import { find } from './dom.ts';

/** Opens the search by its button, Ctrl-K and `/`. It is loaded when it is first used. */
export function startSearchOpener(): void {
  const opener = find('.site-search');
  if (!opener) return;
  opener.addEventListener('click', openSearch);
  // On the page for missing paths.
  find('.lost-search')?.addEventListener('click', openSearch);
  // A reader who points at it will open it.
  opener.addEventListener('pointerenter', () => import('./search.ts').then(prepareSearch), {
    once: true,
  });
  const keys = find('kbd', opener);
  if (keys && /^(?:Mac|iP)/.test(navigator.platform)) keys.textContent = '⌘ K';
  document.addEventListener('keydown', (event) => {
    if (isShortcut(event)) openSearch();
    else if (isForSearch(event)) typedAhead += event.key;
    else return;
    event.preventDefault();
  });
}

const prepareSearch = ({ prepare }: { prepare(): void }) => prepare();

let isOpening = false;

/** What the reader types meanwhile. */
let typedAhead = '';

async function openSearch(): Promise<void> {
  isOpening = true;
  try {
    const { open } = await import('./search.ts');
    open(typedAhead);
  } finally {
    isOpening = false;
    typedAhead = '';
  }
}

/** A letter before the search is there. */
function isForSearch({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return isOpening && key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

function isShortcut(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (key.toLowerCase() === 'k') return (ctrlKey || metaKey) && !altKey;
  return !isOpening && key === '/' && !ctrlKey && !metaKey && !altKey && !isTyping(event);
}

function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
