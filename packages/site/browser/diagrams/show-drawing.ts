import { button, find } from '../dom.ts';
import type { Drawing, DrawnFor } from './drawing.ts';
import { enlarge } from './enlarge.ts';

/** Wide drawings are made smaller up to this; then they scroll, since nobody could read them. */
const SMALLEST = 0.6;

/** Puts a drawing into its box, in place of the code or of an earlier drawing. */
export function showDrawing(box: HTMLElement, drawing: Drawing, colors: DrawnFor): void {
  const view = find('.diagram-view', box) ?? addView(box);
  const shadow = view.shadowRoot ?? view.attachShadow({ mode: 'open' });
  const svg = svgOf(drawing);
  const { width, height } = drawing;
  svg.style.width = `${width}px`;
  svg.style.maxWidth = `max(100%, ${width * SMALLEST}px)`;
  svg.style.maxHeight = `max(100%, ${height * SMALLEST}px)`;
  shadow.adoptedStyleSheets = [styleOf(drawing)];
  shadow.replaceChildren(svg);
  // Also on paper, and until it is drawn in others.
  box.style.color = colors.ink;
  box.style.background = colors.paper;
  // Where readers see its place, or what comes after it, the place keeps the height that it has.
  if (box.getBoundingClientRect().top > innerHeight) box.classList.add('diagram-whole');
  box.classList.add('diagram-drawn');
  const open = find<HTMLButtonElement>('.diagram-enlarge', box);
  if (open) open.onclick = () => enlarge(svg, drawing);
}

/** The drawing as an element of the page. Its own style is `styleOf`. */
function svgOf({ markup, title }: Drawing): SVGSVGElement {
  const parsed = new DOMParser().parseFromString(markup, 'text/html').querySelector('svg');
  if (!parsed) throw new Error('A drawing has no svg.');
  const svg = document.importNode(parsed, true);
  // The policy of pages forbids styles in what is parsed, and not those that a script sets.
  for (const element of svg.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = element.dataset.style ?? '';
    delete element.dataset.style;
  }
  // What is in an image is hidden from those who hear the page, links too.
  svg.role = svg.querySelector('a[href]') ? 'group' : 'img';
  // Where its author has named and described it, Mermaid refers to that.
  if (!title) svg.ariaLabel = 'Diagram';
  return svg;
}

export function styleOf({ style }: Drawing): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`svg { flex: none; height: auto; margin: auto; }\n${style}`);
  return sheet;
}

/** The place of the drawing, and what readers can do with it. */
function addView(box: HTMLElement): HTMLElement {
  const view = document.createElement('div');
  view.className = 'diagram-view';
  view.role = 'group';
  view.ariaLabel = 'Diagram';
  // It scrolls, so it must be reachable by keyboard.
  view.tabIndex = 0;
  box.append(view);
  const code = button('code-copy', 'Code', 'Show the code of the diagram');
  code.ariaPressed = 'false';
  code.onclick = () => {
    code.ariaPressed = `${box.classList.toggle('diagram-code')}`;
  };
  const open = button('code-copy diagram-enlarge', 'Enlarge', 'Enlarge the diagram');
  const buttons = document.createElement('div');
  buttons.className = 'diagram-buttons';
  buttons.append(open, code);
  const copy = find('.code-copy', box);
  if (copy) buttons.append(copy);
  find('.code-head', box)?.append(buttons);
  return view;
}
