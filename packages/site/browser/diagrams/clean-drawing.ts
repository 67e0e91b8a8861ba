import { brightness, rgbOf } from './colors.ts';
import type { Drawing } from './drawing.ts';

/** Elements that draw, and those of labels. Whatever else is in a drawing is left out with its content. */
const ELEMENTS = new Set(
  (
    'svg g defs marker path rect circle ellipse line polyline polygon text tspan textPath a title desc switch symbol use ' +
    'clipPath mask pattern linearGradient radialGradient stop filter feDropShadow feGaussianBlur feOffset feFlood ' +
    'feComposite feMerge feMergeNode feBlend feColorMatrix feComponentTransfer feFuncA foreignObject ' +
    'div span p br b i u s em strong code pre del ins mark small sub sup ul ol li hr table thead tbody tr th td ' +
    'math semantics annotation mrow mi mo mn mtext mspace ms msub msup msubsup munder mover munderover mfrac msqrt mroot ' +
    'mtable mtr mtd mstyle mpadded mphantom menclose'
  )
    .toLowerCase()
    .split(' '),
);

/** Whether an address may be in a link of a page. */
const isSafeLink = (address: string) => /^(?:https?:|mailto:|tel:|[/#?.]|[^:]*$)/i.test(address);

/** Whether a style or an attribute loads nothing. */
const isLocal = (value: string) =>
  !/url\(\s*["']?(?!#)|image-set\(|@import/i.test(unescaped(value));

/** As a browser reads it: `\75rl(` is `url(`. */
const unescaped = (value: string) =>
  value.replace(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_, hex: string | undefined, letter = '') =>
    hex === undefined ? letter : String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff)),
  );

/**
 * Takes out of a drawing what loads, runs, or is forbidden to pages: their policy knows no styles in elements, so those
 * go to `data-style`, and the page sets them by itself.
 */
export function cleanDrawing(markup: string): Drawing {
  const template = document.createElement('template');
  template.innerHTML = markup;
  const svg = template.content.querySelector('svg');
  if (!svg) throw new Error('Mermaid drew nothing.');
  for (const node of svg.querySelectorAll<SVGElement>('.node, .cluster')) keepReadable(node);
  const styles: string[] = [];
  for (const element of [...svg.querySelectorAll('*')]) {
    if (element.localName === 'style') styles.push(element.textContent ?? '');
    if (!ELEMENTS.has(element.localName.toLowerCase())) element.remove();
  }
  for (const element of [svg, ...svg.querySelectorAll('*')]) cleanAttributes(element);
  const { width, height } = sizeOf(svg);
  for (const name of ['width', 'height', 'data-style', 'role', 'aria-roledescription'])
    svg.removeAttribute(name);
  return {
    markup: svg.outerHTML,
    style: rulesOf(styles.join('\n')),
    ...{ width, height, title: titleOf(svg) },
  };
}

function cleanAttributes(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    if (name === 'style') {
      element.removeAttribute(name);
      if (isLocal(value)) element.setAttribute('data-style', value);
    } else if (name === 'href' || name === 'xlink:href') {
      element.removeAttribute(name);
      const isLink = element.localName === 'a' && isSafeLink(value);
      if (isLink || value.startsWith('#')) element.setAttribute('href', value);
    } else if (
      /^on|^(?:target|src|srcset|data-style|ping|formaction)$/i.test(name) ||
      !isLocal(value)
    )
      element.removeAttribute(name);
  }
  if (element.localName === 'a') element.setAttribute('rel', 'noopener noreferrer');
}

/** The rules of a style that load nothing, one by one, since one that does would cost all. */
function rulesOf(style: string): string {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  return [...sheet.cssRules]
    .map(({ cssText }) => cssText)
    .filter(isLocal)
    .join('\n');
}

/** A drawing's own size: its view box, or else what it says. */
function sizeOf(svg: SVGSVGElement): { width: number; height: number } {
  const { width, height } = svg.viewBox.baseVal ?? {};
  if (width && height) return { width, height };
  const size = { width: svg.width.baseVal.value, height: svg.height.baseVal.value };
  svg.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
  return size;
}

const titleOf = (svg: Element) =>
  [...svg.children].find(({ localName }) => localName === 'title')?.textContent?.trim() ?? '';

/** A node that an author gave a fill and no colour of its text was looked at in one scheme alone. */
function keepReadable(node: SVGElement): void {
  const [fill] = [...node.querySelectorAll<SVGElement>('[style*=fill]')].flatMap((shape) =>
    shape.closest('.label') ? [] : [shape.style.fill],
  );
  const labels = [...node.querySelectorAll<SVGElement | HTMLElement>('.label, .label *')];
  if (!fill || fill === 'none' || labels.some(({ style }) => style.color !== '')) return;
  const color = brightness(rgbOf(fill)) > 140 ? '#171a21' : '#fff';
  for (const { localName, style } of labels) {
    style.setProperty(/^(?:text|tspan)$/.test(localName) ? 'fill' : 'color', color, 'important');
  }
}
