import type { Element, ElementContent, Properties } from 'hast';
import { element } from '../elements.ts';
import type { Attributes } from './read-mark.ts';
import type { ComponentData } from './to-hast.ts';

// What the components of guides are made with.

/** A component of a page, with what is in it. */
export interface Component extends ComponentData {
  readonly children: ElementContent[];
  readonly line: number;
}

export const isElement = (node: ElementContent): node is Element => node.type === 'element';

const isSpace = (node: ElementContent) => node.type === 'text' && node.value.trim() === '';

/** What is neither space nor nothing. */
export const contents = (children: readonly ElementContent[]) =>
  children.filter((node) => !isSpace(node) && node.type !== 'comment');

/** Text of an attribute; empty where there is none. */
export function words(attributes: Attributes, ...names: readonly string[]): string {
  for (const name of names) {
    const value = attributes[name];
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    if (typeof value === 'number') return String(value);
    if (Array.isArray(value)) return value.join(', ');
  }
  return '';
}

export const isTrue = (value: unknown) => value === true || value === 'true' || value === '';

export const block = (className: string, children: ElementContent[], properties: Properties = {}) =>
  element('div', { className: className.split(' '), ...properties }, children);

export function hasClass({ properties }: Element, name: string): boolean {
  return Array.isArray(properties.className) && properties.className.includes(name);
}

/** Items of a list; what is no item becomes one. */
export function listOf(className: string, children: readonly ElementContent[]): Element {
  const items = contents(children).map((node) =>
    isElement(node) && node.tagName === 'li' ? node : element('li', {}, [node]),
  );
  const tag = className === 'steps' ? 'ol' : 'ul';
  return element(tag, className ? { className: [className] } : {}, items);
}
