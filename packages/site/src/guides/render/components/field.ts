import type { Element } from 'hast';
import { element, text } from '../elements.ts';
import { block, type Component, isTrue, words } from './component-parts.ts';

/** Where a parameter is, by the attribute that has its name. */
const PLACES = ['path', 'query', 'header', 'body', 'cookie'];

/** A parameter or a member of a response: its name, its type, and what is to know of it. */
export function field({ attributes, children }: Component): Element {
  const place = PLACES.find((one) => words(attributes, one) !== '');
  const name = words(attributes, 'name') || (place ? words(attributes, place) : '');
  const part = (className: string, value: string) =>
    value === '' ? [] : [text(' '), element('span', { className: [className] }, [text(value)])];
  const { default: fallback } = attributes;
  const start = typeof fallback === 'boolean' ? String(fallback) : words(attributes, 'default');
  const head = element('p', { className: ['field-head'], ...(name && { dataField: name }) }, [
    ...part('field-label', words(attributes, 'pre')),
    element('code', {}, [text(name)]),
    ...part('field-type', words(attributes, 'type')),
    ...part('field-type', place ?? ''),
    ...part('field-label', words(attributes, 'post')),
    ...(isTrue(attributes.required) ? part('field-required', 'required') : []),
    ...(isTrue(attributes.deprecated) ? part('field-label', 'deprecated') : []),
    ...(start === ''
      ? []
      : [
          text(' '),
          element('span', { className: ['field-type'] }, [
            text('default: '),
            element('code', {}, [text(start)]),
          ]),
        ]),
  ]);
  return block('field', [head, ...children], name ? { dataSlug: name } : {});
}
