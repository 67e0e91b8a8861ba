import { didYouMeanOfMany } from '@petstore/service/nearest.ts';
import { type Document, isScalar } from 'yaml';
import { ICON_NAMES, iconNamed } from '../site/icons/icons.ts';

/** What the front matter of a page says of its place in the site's lists. */
export interface PageSettings {
  /** Its title in the navigation; undefined for that of the page. */
  readonly sidebarTitle: string | undefined;
  /** A name of an icon, or an emoji; undefined for none. */
  readonly icon: string | undefined;
  /** It is published, and in no list. */
  readonly isHidden: boolean;
  /** Search engines shall not list it. */
  readonly isUnindexed: boolean;
  /** What is there and is not used, each a sentence. */
  readonly warnings: readonly string[];
}

export const NO_SETTINGS: PageSettings = {
  sidebarTitle: undefined,
  icon: undefined,
  isHidden: false,
  isUnindexed: false,
  warnings: [],
};

/** A text of a front matter; undefined for none. Of what YAML takes for a number it is what is written: `2.0`. */
export function matterText(matter: Document, key: string): string | undefined {
  const node: unknown = matter.get(key, true);
  if (!isScalar(node) || node.value === null) return undefined;
  const text = typeof node.value === 'string' ? node.value : (node.source ?? '');
  return text.trim() || undefined;
}

/** Reads `sidebarTitle`, `icon`, `hidden` and `noindex` of a front matter, whose YAML is sound. */
export function pageSettings(matter: Document): PageSettings {
  const warnings: string[] = [];
  // `icon: false` is none.
  const wanted = typeof matter.get('icon') === 'string' ? matterText(matter, 'icon') : undefined;
  const icon = wanted === undefined ? undefined : iconNamed(wanted);
  if (wanted !== undefined && icon === undefined)
    warnings.push(`There is no icon \`${wanted}\`${didYouMeanOfMany()(wanted, ICON_NAMES)}`);
  return {
    sidebarTitle: matterText(matter, 'sidebarTitle'),
    icon,
    isHidden: matter.get('hidden') === true,
    isUnindexed: matter.get('noindex') === true,
    warnings,
  };
}
