import { find, root } from '../dom.ts';
import { draw } from './draw.ts';
import { showDrawing } from './show-drawing.ts';

// Diagrams are drawn when they come near: until then, and where one cannot be drawn, their code is shown.

/** Half a screen ahead of readers. */
const AHEAD = '50%';

const dark = matchMedia('(prefers-color-scheme: dark)');

const near = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      drawIn(target as HTMLElement);
    }
  },
  { rootMargin: AHEAD },
);

/** Draws the diagrams of a page, each when it comes near. */
export function drawDiagrams(within: ParentNode): void {
  near.disconnect();
  for (const box of within.querySelectorAll<HTMLElement>('.diagram')) near.observe(box);
}

async function drawIn(box: HTMLElement): Promise<void> {
  const code = box.querySelector('code')?.textContent ?? '';
  const { response, colors } = await draw(code, box.clientWidth);
  if (!box.isConnected) return;
  if ('error' in response) tellFailure(box, response.error);
  else showDrawing(box, response, colors);
}

/** The build has read it, so this is rare: the code stays, and says so. */
function tellFailure(box: HTMLElement, error: string): void {
  const label = find('.code-head span', box);
  if (label) label.textContent = 'This diagram could not be drawn';
  console.warn(`A diagram could not be drawn: ${error}`);
}

/** Other colours: those that are near are drawn anew, the others when they come near. */
function drawAgain(): void {
  drawDiagrams(document);
}

dark.addEventListener('change', drawAgain);
new MutationObserver(drawAgain).observe(root, { attributeFilter: ['data-theme'] });
