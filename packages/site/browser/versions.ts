import { find } from './dom.ts';

const OPEN = '.site-versions[open]';

/** Closes the list of versions when the reader goes elsewhere, which a `details` does not do by itself. */
export function startVersions(): void {
  document.addEventListener('click', ({ target }) => {
    const list = find(OPEN);
    if (list && !(target instanceof Node && list.contains(target))) list.removeAttribute('open');
  });
  document.addEventListener('keydown', ({ key }) => {
    const list = key === 'Escape' ? find(OPEN) : null;
    if (!list) return;
    list.removeAttribute('open');
    find('summary', list)?.focus();
  });
  document.addEventListener('focusout', ({ relatedTarget }) => {
    const list = find(OPEN);
    if (list && relatedTarget instanceof Node && !list.contains(relatedTarget))
      list.removeAttribute('open');
  });
}
