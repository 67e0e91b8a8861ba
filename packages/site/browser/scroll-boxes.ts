// Boxes of tables, code and formulas. Without a script each is a stop of the keyboard, since it may have more than it shows.

const boxes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const box = target.closest<HTMLElement>(BOX);
    if (box) settle(box);
  }
});

const BOX = '.table-box, .math-box, .math-wide, .content pre';

/** The share of a box that the first column of a table may take while the others scroll beside it. */
const MAX_SHARE_OF_FIRST = 0.45;

/** Watches the boxes of the page: one that shows all is no stop, and a table that scrolls is a landmark. */
export function watchBoxes(): void {
  boxes.disconnect();
  for (const box of document.querySelectorAll(BOX)) {
    boxes.observe(box);
    // What is in it may grow alone, as with a font that comes later.
    if (box.firstElementChild) boxes.observe(box.firstElementChild);
  }
}

function settle(box: HTMLElement): void {
  // Widths are rounded.
  const scrolls = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
  if (scrolls) box.tabIndex = 0;
  else if (box !== document.activeElement) box.removeAttribute('tabindex');
  if (!box.matches('.table-box')) return;
  box.role = scrolls ? 'region' : 'group';
  const first = box.querySelector<HTMLElement>('tr > :first-child')?.offsetWidth ?? 0;
  box.classList.toggle('first-stays', scrolls && first <= box.clientWidth * MAX_SHARE_OF_FIRST);
}
