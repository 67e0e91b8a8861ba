import type { ElementContent } from 'hast';
import { element, text } from '../elements.ts';
import { isSafeAddress } from '../safe-html.ts';
import { type Component, contents, words } from './component-parts.ts';

/** ReadMe's image: with a caption, which may be what is in it. */
export function imageBox({ attributes, children }: Component): ElementContent[] {
  const src = words(attributes, 'src');
  if (!isSafeAddress(src, 'src')) return contents(children);
  const img = element('img', { src, alt: words(attributes, 'alt', 'title') }, []);
  const caption = words(attributes, 'caption');
  const below = contents(children).length > 0 ? children : caption ? [text(caption)] : [];
  if (below.length === 0) return [element('p', {}, [img])];
  return [element('figure', { className: ['frame'] }, [img, element('figcaption', {}, below)])];
}
