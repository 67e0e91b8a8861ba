// Runs before the page is drawn, so that it is never seen in the wrong colours.
// @ts-check

/** Under this name the reference's own switch keeps the choice too. */
const CHOICE = 'colorMode';

const root = document.documentElement;
root.classList.add('js');
try {
  const choice = localStorage.getItem(CHOICE);
  if (choice === 'light' || choice === 'dark') root.dataset.theme = choice;
} catch {
  // Storage can be forbidden: the system's choice it is.
}
