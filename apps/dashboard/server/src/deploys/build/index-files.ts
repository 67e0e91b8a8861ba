import type { CheckedDocument } from './openapi-types.ts';
import type { SiteFile } from './site-file.ts';

/** A page of a site besides the reference. */
export interface IndexedPage {
  /** `/guides/start`. */
  readonly path: string;
  readonly title: string;
  /** A sentence about it; empty for none. */
  readonly description: string;
  readonly markdown: string;
}

/**
 * What tells programs of a site's pages: `/llms.txt`, `/llms-full.txt`, `/sitemap.xml`, `/robots.txt`. The
 * last two are templates. `checked` is undefined where a site has guides alone.
 */
export function indexFiles(_site: {
  readonly title: string;
  readonly description: string;
  readonly pages: readonly IndexedPage[];
  readonly referencePath: string;
  readonly checked: CheckedDocument | undefined;
}): SiteFile[] {
  return [];
}
