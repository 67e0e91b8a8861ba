import { showBarColor } from './bar-color.ts';
import { find, root } from './dom.ts';

// The colours: as the system has them, light, or dark.

const THEMES = ['system', 'light', 'dark'];

const current = () => root.dataset.theme ?? 'system';

/** The button in the header, which goes through the choices. The browser remembers the last one. */
export function startColors(): void {
  const button = find('.site-theme');
  if (!button) return;
  const show = () => {
    const label = `Colours: ${current()}`;
    button.setAttribute('aria-label', label);
    button.title = label;
  };
  button.addEventListener('click', () => {
    choose(THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length] ?? 'system');
    show();
  });
  show();
}

function choose(theme: string): void {
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
  showBarColor(root.dataset.theme);
  try {
    localStorage.setItem('colorMode', theme);
  } catch {
    // Then the choice lasts as long as the page.
  }
}
