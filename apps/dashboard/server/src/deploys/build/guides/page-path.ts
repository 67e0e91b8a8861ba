const INDEX = /^(?:.*\/)?index\.md$/i;
const README = /^(?:.*\/)?readme\.md$/i;

/** Whether the file is a page: Markdown. */
export const isPage = (file: string): boolean => /\.md$/i.test(file);

/**
 * Where the page of a Markdown file is on the site: `guides/start.md` at `/guides/start`. `index.md` is
 * the page of its folder, and so is `README.md` where there is no `index.md`.
 */
export function pagePath(file: string, files: { has(path: string): boolean }): string {
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  const isIndex = INDEX.test(file) || (README.test(file) && !files.has(`${folder}index.md`));
  if (isIndex) return `/${folder}`.replace(/(.)\/$/, '$1');
  return `/${file.replace(/\.md$/i, '')}`;
}

/** The path as an address, for `href` and `src`. */
export function hrefOf(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
