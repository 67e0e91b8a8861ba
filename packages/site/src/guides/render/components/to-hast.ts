import type { Element, ElementContent, Properties } from 'hast';
import type { Options } from 'remark-rehype';
import type { ComponentKind } from './component-names.ts';
import type { ComponentNode } from './nest-marks.ts';
import type { Attributes } from './read-mark.ts';

type Handler = NonNullable<NonNullable<Options['handlers']>['guideComponent']>;

/** The element that stands for a component until HTML is read and sanitized. An author's own is taken as one, too. */
export const COMPONENT_TAG = 'guide-component';

/** What is known of a component after its HTML is read. */
export interface ComponentData {
  readonly kind: ComponentKind['name'] | undefined;
  readonly name: string;
  readonly attributes: Attributes;
}

/** Components, and elements of HTML that stand as such, as elements. */
const guideComponent: Handler = (state, node: ComponentNode): Element => {
  const { kind, name, attributes, html } = node;
  const inner = state.all(node as never) as ElementContent[];
  const hasBlocks = inner.some(({ type }) => type === 'element') && kind?.isInline !== true;
  const data: ComponentData = { kind: kind?.name, name, attributes };
  const element: Element = {
    type: 'element',
    tagName: html === undefined ? COMPONENT_TAG : html.toLowerCase(),
    properties:
      html === undefined ? { dataComponent: JSON.stringify(data) } : htmlProperties(attributes),
    // Words of neighbouring blocks stay apart for the search.
    children: hasBlocks && !html ? state.wrap(inner, true) : inner,
  };
  state.patch(node as never, element);
  return element;
};

/** JSX has names of its own for some attributes. */
function htmlProperties(attributes: Attributes): Properties {
  const entries = Object.entries(attributes).flatMap(([name, value]) => {
    if (value === false || typeof value === 'object') return [];
    const own = { classname: 'class', htmlfor: 'for' }[name] ?? name;
    return [[own, value === true ? '' : String(value)]];
  });
  return Object.fromEntries(entries);
}

export const componentHandlers = { guideComponent };
