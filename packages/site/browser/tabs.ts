import { find } from './dom.ts';

/** Of all tabs but those that stand alone. */
const SYNCED = '.tabs:not([data-alone]) > label > input';

/** Chooses what readers chose once in all tabs of a page that have it, such as a language. */
export function startTabs(): void {
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches(SYNCED)) return;
    const label = labelOf(target);
    const place = target.getBoundingClientRect().top;
    for (const input of document.querySelectorAll<HTMLInputElement>(SYNCED))
      if (labelOf(input) === label) input.checked = true;
    // Tabs above may have become higher: what was chosen stays under the pointer.
    scrollBy({ top: target.getBoundingClientRect().top - place, behavior: 'instant' });
  });
}

const labelOf = (input: HTMLInputElement) => input.parentElement?.textContent?.trim();

/** Chooses the tabs that an element is in. */
export function chooseTabsOf(target: Element): void {
  for (
    let content = target.closest('.tabs > div');
    content;
    content = content.parentElement?.closest('.tabs > div') ?? null
  ) {
    const label = content.previousElementSibling;
    const input = label instanceof HTMLElement ? find<HTMLInputElement>('input', label) : null;
    if (input) input.checked = true;
  }
}
