import type { BuildLog } from '../build-log.ts';
import type { RenderedPage } from '../guides/render/render-page.ts';
import { markdownFiles } from '../markdown/markdown-files.ts';
import { referencePaths } from '../reference/addresses.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { referenceFiles } from '../reference/reference-site.ts';
import { searchFiles } from '../search/search-files.ts';
import { frameFiles, type SiteFrame } from './frame.ts';
import { commonFiles } from './page-layout.ts';
import type { SiteFiles } from './site-files.ts';

/** Adds what every site has besides its guides: the reference, the search, scripts and styles, and the usual files. */
export function addFrame(
  files: SiteFiles,
  site: {
    readonly frame: SiteFrame;
    readonly pages: readonly RenderedPage[];
    readonly reference: ReferenceContext | undefined;
  },
  log: BuildLog,
): void {
  const { frame, pages, reference } = site;
  files.add(frameFiles(frame));
  if (reference) {
    // Each page, and its Markdown.
    files.expect(2 * [...referencePaths(reference.addresses)].length);
    files.add(referenceFiles(reference, frame));
    files.add(markdownFiles(reference));
  }
  files.add(searchFiles({ pages, reference }, log));
  const taken = new Set(files.all().map(({ path }) => path));
  files.add(commonFiles(frame).filter(({ path }) => !taken.has(path)));
}
