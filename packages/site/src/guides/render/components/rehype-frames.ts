import type { Element, Root } from 'hast';
import { toString as textOf } from 'hast-util-to-string';
import { visitElements } from '../../../markdown/visit.ts';
import { COMPONENT_TAG, type ComponentData } from './to-hast.ts';

/** GitBook's icons: `<i class="fa-leaf">:leaf:</i>`. */
function isFontIcon({ properties }: Element): boolean {
  return [properties.className].flat().some((name) => String(name).startsWith('fa-'));
}

function asIcon(node: Element): void {
  const icon = textOf(node).replaceAll(':', '').trim();
  const data: ComponentData = { kind: 'icon', name: 'i', attributes: { icon } };
  node.tagName = COMPONENT_TAG;
  node.properties = { dataComponent: JSON.stringify(data) };
  node.children = [];
}

/**
 * Makes components of frames, videos and icons: pages load nothing from other sites, so a link stands for them. It runs before
 * the sanitizer, which removes them.
 */
export function rehypeFrames() {
  return (tree: Root): void => {
    visitElements(tree, (node) => {
      if (node.tagName === 'i' && isFontIcon(node)) asIcon(node);
      if (node.tagName !== 'iframe' && node.tagName !== 'video') return;
      const { src, title } = node.properties;
      const source = node.children.find((child) => child.type === 'element');
      const data: ComponentData = {
        kind: 'video',
        name: node.tagName,
        attributes: {
          src: String(src ?? source?.properties.src ?? ''),
          title: String(title ?? ''),
        },
      };
      node.tagName = COMPONENT_TAG;
      node.properties = { dataComponent: JSON.stringify(data) };
    });
  };
}
