import type { JsonText } from './written.ts';

export interface PageQuery {
  /**
   * How many at most, 1 to 100. A page may have fewer items and still be followed by another: an engine with several
   * writers ends it before an item that is about to become visible.
   */
  readonly limit: number;
  /** Only items with a greater id. */
  readonly after: bigint | undefined;
}

export interface Page {
  /** A JSON array of the items. */
  readonly json: JsonText;
  /**
   * The id after which the next page starts; undefined when nothing follows. Nothing new will ever
   * become visible between the page's first position and this one.
   */
  readonly next: bigint | undefined;
  /** What the caller derives from the page, kept as long as the page is; engines ignore it. */
  derived?: unknown;
}
