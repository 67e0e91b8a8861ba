import { hash } from 'node:crypto';
import { markdownPath, type SiteFile } from './site-files.ts';
import { datesOfSitemap, type LastModified, sitemapAddress } from './sitemap.ts';

/** When a site is made, and what was live before. */
export interface PageDates {
  /** The time of this deploy, as RFC 3339 has it: that of pages which are new or say something else. */
  readonly now: string;
  /** The deploy that was live until now; undefined for the first one. */
  readonly before: EarlierSite | undefined;
}

export interface EarlierSite {
  /** When it was deployed: the date of pages for which its sitemap has none. */
  readonly at: string;
  /** Its sitemaps, as they are stored. */
  readonly sitemaps: readonly string[];
  /** The SHA-256, in hex, of its pages' Markdown, by the path of the Markdown. */
  readonly markdown: Readonly<Record<string, string>>;
}

/**
 * When each page last changed. What counts is its Markdown, which is what the page says: a page whose frame alone
 * changes, since another page got a new title, or since the product names its scripts otherwise, says the same as
 * before. `file` takes the files of the site, before the dates of its pages are asked for.
 */
export function pageDates(dates: PageDates): {
  readonly file: (file: SiteFile) => void;
  readonly lastModified: LastModified;
} {
  const hashes = new Map<string, string>();
  return {
    file({ path, content }) {
      // Markdown is there as it is: what is made of other contents when a file is written is not loaded for it.
      const isWritten = typeof content === 'string' || content instanceof Uint8Array;
      if (path.endsWith('.md') && isWritten) hashes.set(path, hash('sha256', content, 'hex'));
    },
    lastModified: datesOf(dates, (markdown) => hashes.get(markdown)),
  };
}

/** When each page of a site last changed, whose Markdown has these hashes, by its path. */
export function datesOf(
  { now, before }: PageDates,
  hashOf: (markdown: string) => string | undefined,
): LastModified {
  const known = new Map(before?.sitemaps.flatMap(datesOfSitemap));
  return (path) => {
    const markdown = markdownPath(path);
    const earlier = before && Object.hasOwn(before.markdown, markdown);
    if (!earlier || before.markdown[markdown] !== hashOf(markdown)) return now;
    return known.get(sitemapAddress(path)) ?? before.at;
  };
}
