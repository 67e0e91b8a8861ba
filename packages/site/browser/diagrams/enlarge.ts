import { button } from '../dom.ts';
import type { Drawing } from './drawing.ts';
import { styleOf } from './show-drawing.ts';

/** How small and how large a drawing becomes where the window is of another size. */
const SMALLEST = 0.75;
const LARGEST = 2;

/** Shows a drawing over the page, as wide as the window allows. */
export function enlarge(svg: SVGSVGElement, drawing: Drawing): void {
  const dialog = document.createElement('dialog');
  dialog.className = 'diagram-dialog';
  dialog.ariaLabel = drawing.title || 'Diagram';
  const close = button('site-button diagram-close', 'Close');
  close.onclick = () => dialog.close();
  const view = document.createElement('div');
  view.className = 'diagram-large';
  view.tabIndex = 0;
  view.role = 'group';
  view.ariaLabel = 'Diagram';
  const shadow = view.attachShadow({ mode: 'open' });
  const copy = svg.cloneNode(true) as SVGSVGElement;
  copy.style.width = '100%';
  copy.style.minWidth = `${drawing.width * SMALLEST}px`;
  copy.style.maxWidth = `${drawing.width * LARGEST}px`;
  copy.style.maxHeight = 'none';
  shadow.adoptedStyleSheets = [styleOf(drawing)];
  shadow.append(copy);
  dialog.append(close, view);
  dialog.onclose = () => dialog.remove();
  dialog.onclick = ({ target }) => {
    if (target === dialog) dialog.close();
  };
  document.body.append(dialog);
  dialog.showModal();
}
