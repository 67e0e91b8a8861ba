/** Where a site has its changelog, for people and for programs. */
export const CHANGELOG = {
  title: 'Changelog',
  path: '/changelog',
  atom: '/changelog/atom.xml',
  json: '/changelog/feed.json',
} as const;
