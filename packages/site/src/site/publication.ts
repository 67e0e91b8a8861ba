import type { Changelog } from '../changelog/changelog.ts';
import type { SourceRepository } from '../repository/source-links.ts';
import type { PageDates } from './page-dates.ts';
import type { SiteLimits } from './site-limits.ts';

/** What is known of where and when a site is published. */
export interface Publication {
  /**
   * Under which the site can be had by everyone, as long as it lasts: `https://pets.docs.example.com`. Without it pages
   * have no preview images, whose addresses must be absolute.
   */
  readonly origin?: string | undefined;
  /** Without it the sitemap has no dates. */
  readonly dates?: PageDates | undefined;
  /** The time at which it is made, as RFC 3339 has it; without it nothing is known to be of the future. */
  readonly now?: string | undefined;
  /** What changed in the API, this deploy included. */
  readonly changelog?: Changelog | undefined;
  /** The repository that its files are from; undefined where nobody knows. */
  readonly repository?: SourceRepository | undefined;
  /** Without it SITE_LIMITS. */
  readonly limits?: SiteLimits | undefined;
}
