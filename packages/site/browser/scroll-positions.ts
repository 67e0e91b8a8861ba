// Where the reader was in each page of the history. The browser would restore positions before a page is swapped in.

const STORED = 'scrollPositions';

const MAX_POSITIONS = 100;

/** Heights by the key that an entry of the history has in its state. */
let positions = new Map<string, number>();

/** The key of the entry that is shown. */
let current = '';

/** Begins to keep positions, also those of before a reload. */
export function keepScroll(): void {
  try {
    positions = new Map(JSON.parse(sessionStorage.getItem(STORED) ?? '[]'));
  } catch {
    // Storage can be forbidden; then positions last until a reload.
  }
  history.scrollRestoration = 'manual';
  claimEntry();
  addEventListener('pagehide', () => {
    markEntry();
    // A page that is loaded again, or kept whole, is the browser's.
    history.scrollRestoration = 'auto';
    try {
      sessionStorage.setItem(STORED, JSON.stringify([...positions].slice(-MAX_POSITIONS)));
    } catch {
      // As above.
    }
  });
  addEventListener('pageshow', () => {
    history.scrollRestoration = 'manual';
  });
}

/** Remembers the position in the current entry, before another one is shown. */
export function markEntry(): void {
  positions.delete(current);
  positions.set(current, scrollY);
}

/** Gives the current entry its key, where it has none yet. */
export function claimEntry(): void {
  const { state } = history;
  const known: unknown = state?.entry;
  current = typeof known === 'string' ? known : String(performance.timeOrigin + performance.now());
  if (known !== current) history.replaceState({ ...state, entry: current }, '');
}

/** Goes to where the reader was in an entry that is shown again. */
export function scrollToKept(): void {
  claimEntry();
  const top = positions.get(current);
  if (top !== undefined) scrollTo({ top, behavior: 'instant' });
}
