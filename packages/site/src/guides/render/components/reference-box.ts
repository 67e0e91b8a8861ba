import type { Element } from 'hast';
import type { TargetDetails } from '../../links/reference-target.ts';
import { element, text } from '../elements.ts';
import { block } from './component-parts.ts';

/** A box that leads to a page of the reference. Its link is checked as all others are. */
export function referenceBox(href: string, id: string, about: TargetDetails | undefined): Element {
  const link = element('a', { className: ['card-link'], href }, [text(about?.title ?? id)]);
  const address = about?.method
    ? [
        element('p', { className: ['reference-address'] }, [
          element('span', { className: ['method', `method-${about.method.toLowerCase()}`] }, [
            text(about.method),
          ]),
          text(' '),
          element('code', {}, [text(about.path)]),
        ]),
      ]
    : [];
  return block('card reference-card', [
    ...address,
    element('p', { className: ['card-title'] }, [link]),
    ...(about?.sentence ? [element('p', {}, [text(about.sentence)])] : []),
  ]);
}
