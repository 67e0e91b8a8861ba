import type { Element } from 'hast';

/** Pictures for one scheme: the names that Mintlify and GitHub give them. */
export function schemeOf({ properties }: Element): void {
  const names = [properties.className].flat().map(String);
  const src = String(properties.src ?? '');
  const isDark = names.includes('dark:block') || src.endsWith('#gh-dark-mode-only');
  const isLight = names.includes('dark:hidden') || src.endsWith('#gh-light-mode-only');
  delete properties.className;
  if (isDark) properties.className = ['dark-only'];
  else if (isLight) properties.className = ['light-only'];
}
