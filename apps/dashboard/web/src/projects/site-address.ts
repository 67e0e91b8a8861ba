/** A site's address as people read it: without the scheme and the last slash. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

/** Where a project with a slug will be; `template` is the installation's `siteUrlTemplate`. */
export function siteHost(template: string, slug: string): string {
  return template
    .replace('{slug}', slug)
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '');
}

/** What stands behind the slug in every site's address: `.docs.localhost:8082`. */
export function siteHostEnding(template: string): string {
  return siteHost(template, '');
}
