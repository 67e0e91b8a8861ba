import type { ElementContent } from 'hast';
import { toString as contentOf } from 'hast-util-to-string';
import type { Rule } from '../../../rules.ts';
import { element, text } from '../elements.ts';
import { isSafeAddress } from '../safe-html.ts';
import { type Component, contents, isElement, words } from './component-parts.ts';
import type { Attributes } from './read-mark.ts';

/** A link to a video on another site, from which pages load nothing. */
export function videoLink(
  { name: component, attributes, children, line }: Component,
  warn: (rule: Rule, message: string, line: number) => void,
): ElementContent[] {
  const src = sourceOf(component, attributes, children);
  if (!/^https?:\/\//i.test(src) || !isSafeAddress(src, 'href')) {
    warn(
      'left-out',
      `The video \`${src.slice(0, 100)}\` is not published: put it on a site for videos, and write its address.`,
      line,
    );
    return contents(children);
  }
  const watch = watchAddress(src);
  const title = words(attributes, 'title', 'caption', 'alt');
  const label = contents(children).filter((node) => !isElement(node) || node.tagName !== 'source');
  const host = new URL(watch).hostname.replace(/^www\./, '');
  const name = title || label.map(contentOf).join(' ').trim() || watch;
  return [
    element('span', { className: ['embed'] }, [
      element('a', { href: watch, className: ['embed-link'] }, [text(name)]),
      text(' '),
      element('small', {}, [text(host)]),
    ]),
  ];
}

function sourceOf(
  component: string,
  attributes: Attributes,
  children: readonly ElementContent[],
): string {
  const id = words(attributes, 'id');
  // Docusaurus sites name YouTube's videos so.
  if (/^LiteYouTube/i.test(component) && id) return `https://www.youtube.com/watch?v=${id}`;
  const own = words(attributes, 'src', 'url') || id;
  if (own) return own;
  const found = children.find((node) => isElement(node) && typeof node.properties.src === 'string');
  return found && isElement(found) ? String(found.properties.src) : '';
}

/** Where a video is watched: players that are made for frames refuse to stand alone. */
function watchAddress(src: string): string {
  const [, youtube] =
    /^https?:\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/embed\/([\w-]+)/i.exec(src) ?? [];
  if (youtube) return `https://www.youtube.com/watch?v=${youtube}`;
  const [, vimeo] = /^https?:\/\/player\.vimeo\.com\/video\/(\d+)/i.exec(src) ?? [];
  return vimeo ? `https://vimeo.com/${vimeo}` : src;
}
