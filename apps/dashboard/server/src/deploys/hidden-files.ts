/** Where GitBook keeps the images of pages and the parts that pages include. */
const GITBOOK = /(^|\/)\.gitbook\/(?:(?:assets|includes)\/|$)/;

/**
 * Whether a path has a name that begins with a dot: such files belong to tools, and may have secrets. A folder's path
 * ends with a slash. Not hidden is what pages of GitBook's show, in `.gitbook/assets/` and `.gitbook/includes/`.
 */
export function isHidden(path: string): boolean {
  const rest = path.replace(GITBOOK, '$1');
  return rest.split('/').some((segment) => segment.startsWith('.'));
}
