/**
 * The content security policy of every page of a site. Scripts and styles are the site's own files, and nothing is
 * written into a page that runs. `origins` are the ones that the panel may send requests to.
 */
export function sitePolicy(
  origins: readonly string[],
  {
    hasFonts = false,
    hasDiagrams = false,
    hasFeedback = false,
  }: { hasFonts?: boolean; hasDiagrams?: boolean; hasFeedback?: boolean } = {},
): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    ...(hasFonts ? ["font-src 'self'"] : []),
    ...(hasDiagrams ? ["frame-src 'self'"] : []),
    ["connect-src 'self'", ...origins].join(' '),
    "base-uri 'none'",
    // The form at the end of each page is sent to the site itself.
    hasFeedback ? "form-action 'self'" : "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The page that draws diagrams, in a frame of other pages. */
export const DIAGRAM_FRAME = '/_assets/diagrams.html';

/**
 * The policy of that page alone. Mermaid writes styles into what it draws, which no other page allows. Nothing is loaded
 * but the site's own scripts, whatever a diagram names.
 */
export const DIAGRAM_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');
