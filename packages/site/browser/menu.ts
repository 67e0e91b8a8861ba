import { find, linkOf, root } from './dom.ts';

// The list of pages on a narrow screen.

const OPEN = 'menu-open';

const WIDE = '(min-width: 60.01rem)';

/** Opens or closes the list of pages. What it covers cannot be reached meanwhile. */
function setMenu(isOpen: boolean): void {
  root.classList.toggle(OPEN, isOpen);
  find('.site-menu')?.setAttribute('aria-expanded', String(isOpen));
  for (const part of document.querySelectorAll('.docs-body, .site-announcement')) {
    part.toggleAttribute('inert', isOpen);
  }
}

/** The header's button, Escape, and whatever else closes the list. */
export function startMenu(): void {
  const menuButton = find('.site-menu');
  const list = find('.docs-nav');
  menuButton?.addEventListener('click', () => {
    const isOpen = !root.classList.contains(OPEN);
    setMenu(isOpen);
    if (isOpen)
      (find('[aria-current=page]', list ?? document) ?? find('a', list ?? document))?.focus();
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !root.classList.contains(OPEN)) return;
    setMenu(false);
    menuButton?.focus();
  });
  matchMedia(WIDE).addEventListener('change', () => setMenu(false));
  list?.addEventListener('click', (event) => {
    if (linkOf(event)) setMenu(false);
  });
}
