/** A site's address as people read it: without the scheme and the last slash. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

/**
 * The address of a project with this slug. Without a slug, the constant end of every address, such as
 * `.docs.localhost:8082`. `template` is the installation's `siteUrlTemplate`.
 */
export function siteHost(template: string, slug: string): string {
  return template
    .replace('{slug}', slug)
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '');
}
