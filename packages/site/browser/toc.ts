import { fragmentTarget, oncePerFrame, root } from './dom.ts';

// The list of headings, which marks the reader's position.

/** How far below the window's upper edge a heading counts as passed, in pixels. */
const PASSED = 120;

let links: HTMLAnchorElement[] = [];
let headings: (HTMLElement | null)[] = [];

/** Marks positions as the reader scrolls, in whichever page is shown. */
export function startHeadingMarks(): void {
  document.addEventListener('scroll', oncePerFrame(markHeading), { passive: true });
}

/** Finds the headings of a new page. */
export function watchHeadings(within: ParentNode): void {
  links = [...within.querySelectorAll<HTMLAnchorElement>('.docs-toc a[href^="#"]')];
  headings = links.map(({ hash }) => fragmentTarget(hash));
  markHeading();
}

function markHeading(): void {
  if (links.length === 0) return;
  const isAtEnd = scrollY > 0 && innerHeight + scrollY >= root.scrollHeight - 4;
  const passed = headings.findLastIndex(
    (heading) => heading && heading.getBoundingClientRect().top < PASSED,
  );
  const current = isAtEnd ? headings.length - 1 : Math.max(0, passed);
  for (const [at, link] of links.entries()) {
    if (at === current) link.setAttribute('aria-current', 'location');
    else link.removeAttribute('aria-current');
  }
}
