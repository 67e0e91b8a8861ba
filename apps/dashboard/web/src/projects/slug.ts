const MAX_LENGTH = 40;

/** A slug for a project's name: a DNS label of a-z, 0-9 and single inner dashes, or nothing. */
export function slugFor(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, '');
}

/** What is wrong with a slug, as far as the browser can know before the server checks it; null: nothing. */
export function slugProblem(slug: string): string | null {
  if (slug === '') return null;
  if (slug.length > MAX_LENGTH) return `At most ${MAX_LENGTH} characters; this has ${slug.length}.`;
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(slug)) {
    return 'Small letters (a-z), digits and single dashes between them.';
  }
  return null;
}
