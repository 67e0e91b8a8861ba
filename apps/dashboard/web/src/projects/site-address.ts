/** A site's address as people read it: without the scheme and the last slash. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

/**
 * Where a project with a slug will be; without one what stands behind it in every address, such as
 * `.docs.localhost:8082`. `template` is the installation's `siteUrlTemplate`.
 */
export function siteHost(template: string, slug: string): string {
  return template
    .replace('{slug}', slug)
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '');
}
