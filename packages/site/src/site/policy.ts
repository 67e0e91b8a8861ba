/**
 * The content security policy of every page of a site. Scripts and styles are the site's own files, and nothing is
 * written into a page that runs. `origins` are the ones that the panel may send requests to.
 */
export function sitePolicy(
  origins: readonly string[],
  { hasFonts }: { readonly hasFonts: boolean } = { hasFonts: false },
): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    ...(hasFonts ? ["font-src 'self'"] : []),
    ["connect-src 'self'", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
