import type { BuildLog } from '../build-log.ts';
import type { WrittenChangelog } from '../changelog/changelog-files.ts';
import type { RenderedPage } from '../guides/render/render-page.ts';
import { markdownFiles } from '../markdown/markdown-files.ts';
import { referencePaths } from '../reference/addresses.ts';
import type { ReferenceContext } from '../reference/reference-context.ts';
import { referenceFiles } from '../reference/reference-site.ts';
import { searchFiles } from '../search/search-files.ts';
import { apiFiles } from './api-files.ts';
import { frameFiles, type SiteFrame } from './frame.ts';
import { type IndexedSite, indexFiles } from './index-files.ts';
import { type PageDates, pageDates } from './page-dates.ts';
import { commonFiles } from './page-layout.ts';
import type { SiteFile } from './site-files.ts';
import { expectFiles, limitFiles, SITE_LIMITS, type SiteLimits } from './site-limits.ts';
import type { LastModified } from './sitemap.ts';

interface SiteParts {
  readonly frame: SiteFrame;
  /** The guides, and the files that they show. */
  readonly own: Iterable<SiteFile>;
  readonly pages: readonly RenderedPage[];
  readonly references: readonly ReferenceContext[];
  readonly index: Omit<IndexedSite, 'changelog'>;
  /** undefined where the site has none. */
  readonly changelog: WrittenChangelog | undefined;
  /** undefined where nothing is known of dates. */
  readonly dates: PageDates | undefined;
  readonly limits: SiteLimits | undefined;
}

/**
 * All files of a site, made one after the other: the guides, the reference, the search, scripts and styles, lists for
 * programs, and what every site has unless it brings its own. Throws SiteLimitError.
 */
export function* allFiles(parts: SiteParts, log: BuildLog): Generator<SiteFile> {
  const taken = new Set<string>();
  const dates = parts.dates && pageDates(parts.dates);
  for (const file of limitFiles(madeFiles(parts, dates?.lastModified, log), limitsOf(parts))) {
    taken.add(file.path);
    dates?.file(file);
    yield file;
  }
  yield* commonFiles(parts.frame).filter(({ path }) => !taken.has(path));
}

const limitsOf = ({ limits = SITE_LIMITS }: SiteParts) => limits;

function* madeFiles(
  parts: SiteParts,
  lastModified: LastModified | undefined,
  log: BuildLog,
): Generator<SiteFile> {
  const { own, frame, references, pages, index, changelog } = parts;
  const limits = limitsOf(parts);
  yield* own;
  yield* frameFiles(frame);
  const paths = references.flatMap(({ addresses }) => [...referencePaths(addresses)]);
  // Each page, and its Markdown.
  expectFiles(2 * paths.length, limits);
  for (const reference of references) {
    yield* referenceFiles(reference, frame);
    yield* markdownFiles(reference, limits);
  }
  yield* apiFiles(references);
  if (changelog) yield* changelog.files(frame);
  yield* searchFiles({ pages, references, changelog: changelog?.documents ?? [] }, log);
  // At the end, since the dates of pages are made of all their files.
  yield* indexFiles({
    ...index,
    ...(changelog && { changelog: changelog.markdown }),
    ...(lastModified && { lastModified }),
  });
}
