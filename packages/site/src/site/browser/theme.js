// Runs before the page is drawn, so that it never appears in the wrong colours.
// @ts-check

/** The reference's own switch stores the choice under the same name. */
const CHOICE = 'colorMode';

const root = document.documentElement;
root.classList.add('js');
try {
  const choice = localStorage.getItem(CHOICE);
  if (choice === 'light' || choice === 'dark') root.dataset.theme = choice;
} catch {
  // Storage can be forbidden; then the system's choice applies.
}
