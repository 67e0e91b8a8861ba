/**
 * What the findings of a build are about; docs/dashboard.md says what each means. Of a warning the specification is
 * broken, or a page shows less than the upload has; a hint is a matter of style.
 */
export const RULES = {
  structure: 'warning',
  'missing-reference': 'warning',
  'operation-id': 'warning',
  'colliding-paths': 'warning',
  'path-parameter': 'warning',
  'ignored-extension': 'warning',
  title: 'warning',
  'left-out': 'warning',
  link: 'warning',
  image: 'warning',
  markdown: 'warning',
  component: 'warning',
  math: 'warning',
  diagram: 'warning',
  'search-limit': 'warning',
  navigation: 'warning',
  redirect: 'warning',
  'gone-page': 'warning',
  'hidden-page': 'warning',
  overlay: 'warning',
  changelog: 'warning',
  'overlay-extends': 'hint',
  'note-to-come': 'hint',
  'named-icon': 'hint',
  'no-operation-id': 'hint',
  'no-summary': 'hint',
} as const satisfies Record<string, 'warning' | 'hint'>;

export type Rule = keyof typeof RULES;

/** Of a rule's findings. Rules of other versions are taken as warnings. */
export function levelOf(rule: string): 'warning' | 'hint' {
  return Object.hasOwn(RULES, rule) ? RULES[rule as Rule] : 'warning';
}
