import { didYouMeanOfMany } from '../../../nearest.ts';
import type { DeployProblem } from '../../artifact.ts';
import type { RenderedPage } from './render-page.ts';

/** Links to a place in a page that has no such place. */
export function checkAnchors(pages: readonly RenderedPage[]): DeployProblem[] {
  const didYouMean = didYouMeanOfMany();
  const ids = new Map(pages.map((page) => [page.file, new Set(page.ids)]));
  return pages.flatMap((page) =>
    page.links.pages
      .filter(({ file, anchor }) => anchor !== '' && ids.get(file)?.has(anchor) === false)
      .map(({ file, anchor, href, line }) => ({
        message: `The link \`${href}\` leads to no heading: \`${file}\` has no \`#${anchor}\`${didYouMean(anchor, ids.get(file) ?? [])}`,
        path: page.file,
        line,
      })),
  );
}
